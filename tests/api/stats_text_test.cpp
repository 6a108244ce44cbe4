// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The figures of a scheduler as JSON and OpenMetrics. tests/api/check-stats-text parses the texts
// of this program, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "jobs/stats_text.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::to_json;
using jobs::to_open_metrics;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Each member has a value of its own, so that no two can be confused.
jobs::Stats numbered() {
  return {.jobs = 1,
          .steals = 2,
          .remote_steals = 3,
          .forced_publications = 4,
          .switches = 5,
          .parks = 6,
          .overruns = 7,
          .idle_ns = 8'000'000'009,
          .timeouts = 10,
          .late_timeouts = 11,
          .max_lateness_ns = 12,
          .max_start_delay_ns = UINT64_MAX,
          .blocking_calls = 14,
          .blocking_threads = 15,
          .active_workers = 16,
          .throttled_periods = 17,
          .throttled_ns = 1'800'000'000,
          .fibers = 19,
          .fibers_idle = 20,
          .fibers_blocked = 25,
          .waiting_jobs = 26,
          .max_worker_fibers = 21,
          .fiber_offers = 22,
          .slab_bytes = 23,
          .heap_blocks = 24};
}

TEST(StatsText, JsonNamesEachMember) {
  EXPECT_EQ(to_json(numbered()),
            "{\"jobs\":1,\"steals\":2,\"remote_steals\":3,\"forced_publications\":4,\"switches\":5,"
            "\"parks\":6,\"overruns\":7,\"idle_ns\":8000000009,\"timeouts\":10,"
            "\"late_timeouts\":11,\"max_lateness_ns\":12,"
            "\"max_start_delay_ns\":18446744073709551615,\"blocking_calls\":14,"
            "\"blocking_threads\":15,\"active_workers\":16,\"throttled_periods\":17,"
            "\"throttled_ns\":1800000000,\"fibers\":19,\"fibers_idle\":20,"
            "\"fibers_blocked\":25,\"waiting_jobs\":26,"
            "\"max_worker_fibers\":21,\"fiber_offers\":22,\"slab_bytes\":23,\"heap_blocks\":24}");
}

TEST(StatsText, OpenMetricsHasTypesUnitsAndBaseUnits) {
  const std::string text = to_open_metrics(numbered());
  EXPECT_TRUE(contains(text, "# TYPE jobs_steals counter\n# HELP jobs_steals "));
  EXPECT_TRUE(contains(text, "\njobs_steals_total 2\n"));
  EXPECT_TRUE(
      contains(text, "# TYPE jobs_idle_seconds counter\n# UNIT jobs_idle_seconds seconds\n"));
  EXPECT_TRUE(contains(text, "\njobs_idle_seconds_total 8.000000009\n"));
  EXPECT_TRUE(contains(text, "\njobs_max_start_delay_seconds 18446744073.709551615\n"));
  EXPECT_TRUE(contains(text, "# UNIT jobs_slab_bytes bytes\n"));
  EXPECT_TRUE(contains(text, "\njobs_slab_bytes 23\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(StatsText, OpenMetricsKeepsTheSamplesOfAMetricTogether) {
  const jobs::LabelledStats both[] = {{"default", numbered()}, {"a \"b\\\n", {}}};
  EXPECT_TRUE(contains(to_open_metrics(both),
                       "jobs_parks_total{scheduler=\"default\"} 6\n"
                       "jobs_parks_total{scheduler=\"a \\\"b\\\\\\n\"} 0\n# TYPE jobs_overruns"));
}

TEST(StatsText, OpenMetricsOfNoSchedulerHasNoSample) {
  const std::string text = to_open_metrics(std::span<const jobs::LabelledStats>());
  EXPECT_FALSE(contains(text, "_total"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

class StatsTextOf : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(StatsTextOf);

TEST_P(StatsTextOf, ASchedulerHasItsFigures) {
  run([] {
    const jobs::Stats stats = jobs::Scheduler::current().stats();
    EXPECT_TRUE(contains(to_json(stats),
                         "\"active_workers\":" + std::to_string(jobs::worker_count()) + ","));
    EXPECT_TRUE(contains(to_open_metrics(stats),
                         "\njobs_active_workers " + std::to_string(jobs::worker_count()) + "\n"));
  });
}

// For tests/api/check-stats-text: writes the texts into the folder that the variable names.
TEST(StatsText, WritesTheTextsForOtherParsers) {
  const char* const folder = std::getenv("STATS_TEXT_FOLDER");
  if (folder == nullptr) return;
  const jobs::LabelledStats both[] = {{"default", numbered()}, {"a \"b\\\n", {}}};
  const std::string path = folder;
  std::ofstream(path + "/stats.json") << to_json(numbered());
  std::ofstream(path + "/one.txt") << to_open_metrics(numbered());
  std::ofstream(path + "/two.txt") << to_open_metrics(both);
}

}  // namespace
