// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConcurrencyLimit: its reaction to a sequence of machine states. The test sets the clock.
#include "jobs/runtime/parking/concurrency_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>

namespace {

using jobs::detail::ConcurrencyLimit;
using jobs::detail::CpuLimits;
using jobs::detail::WorkerCount;

CpuLimits machine;
unsigned questions = 0;

CpuLimits limits_of_machine(std::span<const jobs::os::ThreadId>) {
  ++questions;
  return machine;
}

class ConcurrencyLimitTest : public testing::Test {
 protected:
  // The longest search that may end without a result.
  static constexpr jobs::os::Nanoseconds kShortSearch = 50'000;

  ConcurrencyLimitTest() {
    machine = {.online = 8, .affinity = 8, .quota = std::nullopt};
    questions = 0;
    jobs::detail::limits_source = &limits_of_machine;
  }
  ~ConcurrencyLimitTest() override { jobs::detail::limits_source = &jobs::detail::read_limits; }

  ConcurrencyLimit::Change look(ConcurrencyLimit& allowance) {
    now += 1'000'000'000'000;
    return allowance.check(now, collect);
  }

  const WorkerCount detected{.count = 8, .reason = "8 workers: ...", .detected = true};
  static std::span<jobs::os::ThreadId> collect(std::span<jobs::os::ThreadId> memory) {
    memory[0] = 1;
    return memory.first(1);
  }
  jobs::os::Nanoseconds now = jobs::os::now();
};

TEST_F(ConcurrencyLimitTest, FollowsQuotaAndMask) {
  ConcurrencyLimit allowance(detected, 1, 8);
  EXPECT_EQ(allowance.active(), 8u);
  const struct {
    std::optional<double> quota;
    unsigned affinity;
    unsigned active;
  } steps[] = {{0.5, 8, 1},  {1.5, 8, 2}, {0.01, 8, 1},         {3, 8, 3}, {3, 2, 2},
               {100., 8, 8}, {0.5, 8, 1}, {std::nullopt, 8, 8}, {7, 7, 7}, {std::nullopt, 300, 8}};
  unsigned before = 8;
  for (const auto& step : steps) {
    machine.quota = step.quota;
    machine.affinity = step.affinity;
    const ConcurrencyLimit::Change change = look(allowance);
    EXPECT_EQ(allowance.active(), step.active);
    EXPECT_EQ(change.first, std::min(before, step.active));
    EXPECT_EQ(change.end, std::max(before, step.active));
    EXPECT_EQ(allowance.has_excess(), step.active < 8);
    EXPECT_EQ(allowance.is_excess(step.active), true);
    EXPECT_EQ(allowance.is_excess(step.active - 1), false);
    before = step.active;
  }
}

TEST_F(ConcurrencyLimitTest, ChecksSeldom) {
  const jobs::os::Nanoseconds before = jobs::os::now();
  ConcurrencyLimit allowance(detected, 1, 8);
  EXPECT_FALSE(allowance.is_check_due(before + ConcurrencyLimit::kCheckInterval - 1));
  look(allowance);
  machine.affinity = 1;
  const ConcurrencyLimit::Change change =
      allowance.check(now + ConcurrencyLimit::kCheckInterval - 1, collect);
  EXPECT_EQ(change.first, change.end);
  EXPECT_EQ(questions, 1u);
  allowance.check(now + 2'000'000'000,
                  [](std::span<jobs::os::ThreadId> memory) { return memory.first(0); });
  EXPECT_EQ(questions, 1u) << "no threads so far";
  EXPECT_FALSE(allowance.is_check_due(now + 2'000'000'000)) << "nor does anybody try again at once";
}

TEST_F(ConcurrencyLimitTest, ChecksAgainSoonAfterADelayedCheck) {
  ConcurrencyLimit allowance(detected, 1, 8);
  jobs::detail::limits_source = +[](std::span<const jobs::os::ThreadId>) {
    std::this_thread::sleep_for(
        2 * std::chrono::nanoseconds(ConcurrencyLimit::kCheckInterval));  // the machine is busy
    return machine;
  };
  now = jobs::os::now() +
        ConcurrencyLimit::kCheckInterval;  // due; the check takes longer than the interval
  allowance.check(now, collect);
  EXPECT_FALSE(allowance.is_check_due(now + 2 * ConcurrencyLimit::kCheckInterval));
  EXPECT_TRUE(allowance.is_check_due(now + 1'000'000'000));
}

TEST_F(ConcurrencyLimitTest, KeepsWhatItHasWhereTheMachineSaysNothing) {
  ConcurrencyLimit allowance(detected, 1, 8);
  machine.affinity = 3;
  look(allowance);
  machine.affinity = 0;
  const ConcurrencyLimit::Change change = look(allowance);
  EXPECT_EQ(change.first, change.end);
  EXPECT_EQ(allowance.active(), 3u);
}

TEST_F(ConcurrencyLimitTest, LetsWorkersSearchForLongOnlyIfThatCostsNoOtherThread) {
  ConcurrencyLimit allowance(detected, 1, 8);
  const jobs::os::Nanoseconds usual = allowance.search_time(false);
  EXPECT_LE(usual, kShortSearch);
  machine.quota = 1.5;
  look(allowance);
  EXPECT_EQ(allowance.search_time(false), usual) << "as many as it may use";
  machine.throttled = {.periods = 1, .nanoseconds = 5'000'000};
  look(allowance);
  EXPECT_LE(allowance.search_time(false), usual / 10) << "it has been throttled meanwhile";
  EXPECT_EQ(allowance.max_spinning(), 0u) << "it has been throttled meanwhile";
  look(allowance);
  EXPECT_EQ(allowance.search_time(false), usual) << "not any more";
  EXPECT_EQ(allowance.max_spinning(), 1u) << "not any more";
  machine.throttled.nanoseconds += 1'000'000;
  look(allowance);
  EXPECT_LE(allowance.search_time(false), usual / 10) << "still throttled in the same period";
  EXPECT_EQ(allowance.throttled().periods, 1u);

  ConcurrencyLimit asked_for({.count = 8, .reason = "8 workers: asked for by the program"}, 1, 8);
  machine.affinity = 2;
  look(asked_for);
  EXPECT_EQ(asked_for.active(), 8u);
  EXPECT_TRUE(asked_for.is_oversubscribed());
  EXPECT_EQ(asked_for.cpus(), 2u);
  EXPECT_EQ(asked_for.search_time(false), usual);
  EXPECT_LE(asked_for.search_time(true), usual / 10);
  look(asked_for);
  machine.throttled.periods = 2;
  look(asked_for);
  EXPECT_LE(asked_for.search_time(false), usual / 10) << "it has been throttled meanwhile";
  ConcurrencyLimit from_the_start({.count = 9, .reason = ""}, 1, 8);
  EXPECT_EQ(from_the_start.cpus(), 8u);
}

TEST_F(ConcurrencyLimitTest, KeepsTheWorkersThatSomeJobsNeed) {
  ConcurrencyLimit allowance(detected, 2, 8);
  machine.quota = 0.5;
  look(allowance);
  EXPECT_EQ(allowance.active(), 2u);
  ConcurrencyLimit alone({.count = 1, .reason = "", .detected = true}, 2, 8);
  look(alone);
  EXPECT_EQ(alone.active(), 1u) << "there are no two";
}

TEST_F(ConcurrencyLimitTest, SaysWhatItHasSeenAndWhy) {
  ConcurrencyLimit allowance(detected, 1, 8);
  // Before the construction of the ConcurrencyLimit.
  machine.throttled = {.periods = 5, .nanoseconds = 7'000'000};
  look(allowance);
  EXPECT_EQ(allowance.describe(), "");
  machine.quota = 1.5;
  machine.throttled = {.periods = 8, .nanoseconds = 19'000'000};
  look(allowance);
  EXPECT_EQ(allowance.describe(),
            "; 2 of 8 in use: CPU quota of 1.5 (8 CPUs in the affinity mask; machine has 8)"
            "; throttled 3 times, 12 ms");
}

}  // namespace
