// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WakerHabit with times of its own.
#include "jobs/runtime/parking/waker_habit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using jobs::detail::WakerHabit;
using jobs::os::Nanoseconds;

// A thread that wakes a worker. It computes for a while after each wake-up, and then sleeps.
struct Waker {
  explicit Waker(int id, Nanoseconds after_wake_up) : thread(id), computes(after_wake_up) {}

  // One wake-up. A worker on another CPU starts when that has left its halt, and one on the same
  // CPU when the waker sleeps. Returns whether they share the CPU.
  bool wakes(WakerHabit& habit) {
    const bool shares = habit.is_known_of(thread);
    habit.sends_token(now, cpu_time);
    const Nanoseconds until_start = shares ? computes + 5'000 : halted;
    habit.started(now + until_start, cpu_time + std::min(computes, until_start));
    now += 1'000'000;
    cpu_time += computes;
    return shares;
  }
  // Returns the number of wake-ups until they share the CPU.
  unsigned wakes_until_shared(WakerHabit& habit) {
    unsigned count = 1;
    while (!wakes(habit)) ++count;
    return count;
  }

  int thread;
  Nanoseconds computes;
  Nanoseconds halted = 50'000;
  Nanoseconds now = 1'000'000'000;
  Nanoseconds cpu_time = 5'000'000;
};

TEST(WakerHabit, IsKnownAfterSeveralBriefTimesInARow) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  for (unsigned i = 0; i < WakerHabit::kFirstTimes; ++i) EXPECT_FALSE(waker.wakes(habit));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(waker.wakes(habit));
}

TEST(WakerHabit, IsNeverKnownOfAThreadThatComputes) {
  for (const Nanoseconds time : {31'000, 50'000, 1'000'000}) {
    WakerHabit habit;
    Waker waker(1, time);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(waker.wakes(habit)) << time;
  }
}

// It may still compute when the worker starts on its CPU.
TEST(WakerHabit, IsNeverKnownOfAThreadThatUsesMostOfTheTimeUntilTheStart) {
  WakerHabit habit;
  Waker waker(1, 16'000);
  waker.halted = 20'000;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(waker.wakes(habit));
}

TEST(WakerHabit, EndsWithAWakerThatComputes) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  waker.wakes_until_shared(habit);
  waker.computes = 90'000;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(waker.wakes(habit));
  waker.computes = 110'000;
  EXPECT_TRUE(waker.wakes(habit));  // a mistake
  EXPECT_FALSE(waker.wakes(habit));
}

TEST(WakerHabit, EndsWithAWorkerThatHasWaitedAfterItsStart) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  waker.wakes_until_shared(habit);
  habit.waited();
  EXPECT_EQ(waker.wakes_until_shared(habit), WakerHabit::kFirstTimes * WakerHabit::kCaution + 1);
}

TEST(WakerHabit, IsMoreCautiousAfterEachMistake) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  unsigned times = WakerHabit::kFirstTimes;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(waker.wakes_until_shared(habit), times + 1);
    waker.computes = 1'000'000;
    EXPECT_TRUE(waker.wakes(habit));
    waker.computes = 10'000;
    times = std::min(times * WakerHabit::kCaution, WakerHabit::kMostTimes);
  }
  EXPECT_EQ(times, WakerHabit::kMostTimes);
}

TEST(WakerHabit, IsTrustedAgainAfterManyTimesWithoutAMistake) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  for (int i = 0; i < 8; ++i) {
    waker.computes = 10'000;
    waker.wakes_until_shared(habit);
    waker.computes = 1'000'000;
    EXPECT_TRUE(waker.wakes(habit));  // a mistake
  }
  waker.computes = 10'000;
  waker.wakes_until_shared(habit);
  // The number of times falls to the first one, and no further.
  for (unsigned i = 0; i < 7 * WakerHabit::kTimesForTrust; ++i) EXPECT_TRUE(waker.wakes(habit));
  waker.computes = 1'000'000;
  EXPECT_TRUE(waker.wakes(habit));
  waker.computes = 10'000;
  EXPECT_EQ(waker.wakes_until_shared(habit), WakerHabit::kFirstTimes * WakerHabit::kCaution + 1);
}

TEST(WakerHabit, IsNotTrustedAgainIfMistakesAreFrequent) {
  WakerHabit habit;
  Waker waker(1, 10'000);
  unsigned mistakes = 0;
  for (unsigned i = 0; i < 100 * WakerHabit::kTimesForTrust; ++i) {
    waker.computes = i % (WakerHabit::kTimesForTrust / 2) == 0 ? 1'000'000 : 10'000;
    if (waker.wakes(habit) && waker.computes > 10'000) ++mistakes;
  }
  EXPECT_LE(mistakes, 4u);
}

TEST(WakerHabit, BelongsToOneThread) {
  WakerHabit habit;
  Waker first(1, 10'000);
  Waker second(2, 10'000);
  first.wakes_until_shared(habit);
  EXPECT_FALSE(second.wakes(habit));
  EXPECT_EQ(first.wakes_until_shared(habit), WakerHabit::kFirstTimes + 1);
}

}  // namespace
