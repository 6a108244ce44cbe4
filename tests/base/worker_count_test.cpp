// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The number of workers: precedence, strict reading of the environment, rounding, and the reason
// that describe() shows.
#include "jobs/base/worker_count.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "jobs/base/affinity.hpp"
#include "jobs/error.hpp"

namespace {

using jobs::detail::choose_worker_count;
using jobs::detail::CpuLimits;
using jobs::detail::kMaxWorkers;

constexpr CpuLimits kEightOf16{.online = 16, .affinity = 8, .quota = std::nullopt};

CpuLimits with_quota(double quota) { return {.online = 16, .affinity = 8, .quota = quota}; }

TEST(WorkerCount, IsWhatTheProgramAsksFor) {
  const auto choice = choose_worker_count(100, "3", kEightOf16);
  EXPECT_EQ(choice.count, 100u);
  EXPECT_EQ(choice.reason, "100 workers: asked for by the program");
}

TEST(WorkerCount, IsWhatTheEnvironmentSaysIfTheProgramDoesNotAsk) {
  const auto choice = choose_worker_count(0, "12", with_quota(2));
  EXPECT_EQ(choice.count, 12u);
  EXPECT_EQ(choice.reason, "12 workers: JOBS_NUM_WORKERS=12");
}

TEST(WorkerCount, IsTheNumberOfUsableCpusOtherwise) {
  const auto choice = choose_worker_count(0, nullptr, kEightOf16);
  EXPECT_EQ(choice.count, 8u);
  EXPECT_EQ(choice.reason, "8 workers: 8 CPUs in the affinity mask (machine has 16; no CPU quota)");
}

TEST(WorkerCount, SpeaksOfOneCpuInTheSingular) {
  EXPECT_EQ(
      choose_worker_count(0, nullptr, {.online = 2, .affinity = 1, .quota = std::nullopt}).reason,
      "1 worker: 1 CPU in the affinity mask (machine has 2; no CPU quota)");
}

TEST(WorkerCount, IsTheQuotaRoundedUp) {
  const auto choice = choose_worker_count(0, nullptr, with_quota(1.5));
  EXPECT_EQ(choice.count, 2u);
  EXPECT_EQ(choice.reason,
            "2 workers: CPU quota of 1.5 (8 CPUs in the affinity mask; machine has 16)");
  EXPECT_EQ(choose_worker_count(0, nullptr, with_quota(2.0)).count, 2u);
  EXPECT_EQ(choose_worker_count(0, nullptr, with_quota(2.01)).count, 3u);
  EXPECT_EQ(choose_worker_count(0, nullptr, with_quota(0.001)).count, 1u);
}

TEST(WorkerCount, IsNotRaisedByALargeQuota) {
  const auto choice = choose_worker_count(0, nullptr, with_quota(1e300));
  EXPECT_EQ(choice.count, 8u);
  EXPECT_EQ(choose_worker_count(0, nullptr, with_quota(8)).reason,
            "8 workers: 8 CPUs in the affinity mask (machine has 16; CPU quota of 8)");
}

TEST(WorkerCount, IsAtLeastOneAndAtMostTheLimit) {
  EXPECT_EQ(choose_worker_count(0, nullptr, {.online = 1, .affinity = 0, .quota = 0.0}).count, 1u);
  EXPECT_EQ(
      choose_worker_count(0, nullptr, {.online = 9999, .affinity = 9999, .quota = std::nullopt})
          .count,
      kMaxWorkers);
  EXPECT_EQ(choose_worker_count(kMaxWorkers, nullptr, kEightOf16).count, kMaxWorkers);
  EXPECT_EQ(choose_worker_count(0, "1", kEightOf16).count, 1u);
  EXPECT_EQ(choose_worker_count(0, "4096", kEightOf16).count, kMaxWorkers);
}

TEST(WorkerCount, RefusesMoreThanTheLimit) {
  try {
    static_cast<void>(choose_worker_count(kMaxWorkers + 1, nullptr, kEightOf16));
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
    EXPECT_STREQ(error.what(), "worker_count = 4097 is more than 4096");
  }
}

class WorkerCountEnvironment : public testing::TestWithParam<const char*> {};

TEST_P(WorkerCountEnvironment, IsRefusedWithItsNameAndValue) {
  try {
    static_cast<void>(choose_worker_count(0, GetParam(), kEightOf16));
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadEnvironment);
    EXPECT_EQ(error.what(), "JOBS_NUM_WORKERS=\"" + std::string(GetParam()) +
                                "\" is not a whole number from 1 to 4096");
  }
}

INSTANTIATE_TEST_SUITE_P(Malformed, WorkerCountEnvironment,
                         testing::Values("abc", "-1", "+1", "0", "4097", "4x", " 8", "8 ", "0x8",
                                         "1e3", "1.5", "٣", "4294967297", "99999999999999999999"));

TEST(WorkerCount, TakesAnEmptyEnvironmentForAnUnsetOne) {
  const auto choice = choose_worker_count(0, "", kEightOf16);
  EXPECT_EQ(choice.count, choose_worker_count(0, nullptr, kEightOf16).count);
  EXPECT_TRUE(choice.detected);
}

TEST(WorkerCount, ShowsOnlyTheBeginningOfAnEndlessValue) {
  try {
    static_cast<void>(choose_worker_count(0, std::string(100'000, '7').c_str(), kEightOf16));
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.what(), "JOBS_NUM_WORKERS=\"" + std::string(40, '7') +
                                "...\" is not a whole number from 1 to 4096");
  }
}

TEST(WorkerCount, ShowsControlCharactersOfAValue) {
  try {
    static_cast<void>(choose_worker_count(0, "\x1b[2J\n", kEightOf16));
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_STREQ(error.what(),
                 "JOBS_NUM_WORKERS=\"\\x1b[2J\\n\" is not a whole number from 1 to 4096");
  }
}

TEST(WorkerCount, LooksAtTheEnvironmentEveryTime) {
  ASSERT_EQ(setenv("JOBS_NUM_WORKERS", "3", 1), 0);
  EXPECT_EQ(choose_worker_count(0).count, 3u);
  EXPECT_EQ(choose_worker_count(5).count, 5u);
  ASSERT_EQ(setenv("JOBS_NUM_WORKERS", "none", 1), 0);
  EXPECT_THROW(static_cast<void>(choose_worker_count(0)), jobs::Error);
  EXPECT_EQ(choose_worker_count(5).count, 5u)
      << "a number from the program makes the variable irrelevant";
  ASSERT_EQ(unsetenv("JOBS_NUM_WORKERS"), 0);
  EXPECT_LE(choose_worker_count(0).count, jobs::os::affinity_cpus().size());
}

}  // namespace
