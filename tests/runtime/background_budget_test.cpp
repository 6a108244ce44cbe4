// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The account of the time of background jobs, on a clock of its own.
#include "jobs/runtime/parking/background_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "jobs/runtime/parking/background_limit.hpp"

namespace {

using jobs::detail::BackgroundBudget;
using jobs::detail::BackgroundLimit;
using jobs::os::Nanoseconds;

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kStart = 1'000'000'000;

// A number of workers that do nothing but background jobs of one length.
struct Workers {
  BackgroundBudget budget;
  Nanoseconds now = kStart;
  Nanoseconds worked = 0;  // in all
  Nanoseconds longest_pause = 0;
  Nanoseconds shortest_pause = jobs::os::kNever;

  explicit Workers(double rate) : budget(rate) {}

  // Each one of `count` workers runs one job at the same time, or all wait.
  void turn(int count, Nanoseconds length) {
    int begun = 0;
    while (begun < count && budget.try_begin(now)) ++begun;
    if (begun == 0) {
      const Nanoseconds pause = budget.opens_at() - now;
      longest_pause = std::max(longest_pause, pause);
      shortest_pause = std::min(shortest_pause, pause);
      now += pause;
      return;
    }
    now += length;
    for (int i = 0; i < begun; ++i) budget.end(now);
    worked += begun * length;
  }
  double share_of(int count, Nanoseconds length, Nanoseconds total) {
    while (now < kStart + total) turn(count, length);
    return static_cast<double>(worked) / static_cast<double>(now - kStart);
  }
};

TEST(BackgroundBudget, GivesTheShareToJobsOfAnyLength) {
  for (const Nanoseconds length :
       {Nanoseconds{1000}, Nanoseconds{50'000}, 3 * kMillisecond, 700 * kMillisecond}) {
    for (const double rate : {0.01, 0.05, 0.4, 0.99}) {
      Workers workers(rate);
      const Nanoseconds total =
          length < kMillisecond ? 1000 * kMillisecond : 2'000'000 * kMillisecond;
      EXPECT_NEAR(workers.share_of(1, length, total), rate, 0.03 * rate)
          << length << " ns, " << rate;
    }
    Workers two(1.5);
    EXPECT_NEAR(two.share_of(2, length, 100 * std::max(length, 100 * kMillisecond)), 1.5, 0.05);
  }
}

TEST(BackgroundBudget, PausesForAtLeastAPeriod) {
  for (const double rate : {0.05, 0.4, 0.99}) {
    Workers workers(rate);
    static_cast<void>(workers.share_of(1, 1000, 2000 * kMillisecond));
    EXPECT_GE(workers.shortest_pause, BackgroundBudget::kPeriod);
    EXPECT_LE(workers.longest_pause, BackgroundBudget::kPeriod + kMillisecond);
  }
}

TEST(BackgroundBudget, LetsJobsBeginAtFirstAndAfterThePayment) {
  BackgroundBudget budget(0.5);
  EXPECT_TRUE(budget.is_set());
  EXPECT_EQ(budget.opens_at(), 0);
  ASSERT_TRUE(budget.try_begin(kStart));
  budget.end(kStart + 100 * kMillisecond);
  // 100 ms of work, of which 50 ms are paid: the rest takes 100 ms.
  EXPECT_EQ(budget.opens_at(), kStart + 200 * kMillisecond);
  EXPECT_FALSE(budget.try_begin(kStart + 199 * kMillisecond));
  EXPECT_TRUE(budget.try_begin(kStart + 200 * kMillisecond));
}

TEST(BackgroundBudget, EarnsNothingWhileNoJobRuns) {
  BackgroundBudget budget(0.5);
  ASSERT_TRUE(budget.try_begin(kStart));
  budget.end(kStart);
  const Nanoseconds later = kStart + 3'600'000 * kMillisecond;
  ASSERT_TRUE(budget.try_begin(later));
  budget.end(later + 100 * kMillisecond);
  EXPECT_EQ(budget.opens_at(), later + 200 * kMillisecond);
}

TEST(BackgroundBudget, IsSpentByAJobThatStillRuns) {
  BackgroundBudget budget(0.5);
  ASSERT_TRUE(budget.try_begin(kStart));
  EXPECT_FALSE(budget.is_spent(kStart + 9 * kMillisecond));
  EXPECT_TRUE(budget.is_spent(kStart + 11 * kMillisecond));
  EXPECT_FALSE(budget.try_begin(kStart + 12 * kMillisecond));
  budget.end(kStart + 12 * kMillisecond);
  EXPECT_EQ(budget.opens_at(), kStart + 24 * kMillisecond);
}

// The time of a job that runs while the budget is closed counts, too.
TEST(BackgroundBudget, StaysClosedWhileTheDebtGrows) {
  BackgroundBudget budget(0.5);
  ASSERT_TRUE(budget.try_begin(kStart));
  ASSERT_TRUE(budget.is_spent(kStart + 20 * kMillisecond));
  const Nanoseconds opens_at = budget.opens_at();
  EXPECT_EQ(opens_at, kStart + 40 * kMillisecond);
  EXPECT_FALSE(budget.try_begin(opens_at));
  EXPECT_EQ(budget.opens_at(), kStart + 80 * kMillisecond);
}

TEST(BackgroundBudget, WaitsForAtMostASecondAtATime) {
  BackgroundBudget budget(1e-300);
  ASSERT_TRUE(budget.try_begin(kStart));
  budget.end(kStart + kMillisecond);
  EXPECT_EQ(budget.opens_at(), kStart + 1001 * kMillisecond);
}

TEST(BackgroundBudget, TakesTimesInAnyOrder) {
  BackgroundBudget budget(0.5);
  ASSERT_TRUE(budget.try_begin(kStart));
  ASSERT_TRUE(budget.try_begin(kStart - kMillisecond));
  budget.end(kStart + 100 * kMillisecond);
  budget.end(kStart + 99 * kMillisecond);
  EXPECT_EQ(budget.opens_at(), kStart + 100 * kMillisecond + 300 * kMillisecond);
}

// The limit refuses a worker: the budget counts no job for it.
TEST(BackgroundBudget, CountsNoWorkerThatTheLimitRefuses) {
  BackgroundLimit limit({.workers = 1, .rate = 0.5});
  ASSERT_TRUE(limit.try_enter());
  EXPECT_FALSE(limit.has_place());
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limit.try_enter());
  limit.leave();
  EXPECT_TRUE(limit.has_place());
}

}  // namespace
