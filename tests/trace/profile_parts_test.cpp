// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a profile: histograms, the clock of states, and the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>

#include "jobs/trace/state_clock.hpp"
#include "jobs/trace/suspended_fibers.hpp"
#include "jobs/trace/time_histogram.hpp"
#include "jobs/trace/time_table.hpp"

namespace jobs::test {
namespace {

using trace::detail::StateClock;
using trace::detail::StateTimes;
using trace::detail::SuspendedFibers;
using trace::detail::TimeBuckets;
using trace::detail::TimeCounts;
using trace::detail::TimeHistogram;
using trace::detail::TimePlace;
using trace::detail::TimeTable;
using trace::detail::WorkerState;

TEST(TimeBuckets, AreInTheOrderOfTheirTimes) {
  std::size_t last = 0;
  for (std::uint64_t ticks = 0; ticks < 5000; ++ticks) {
    const std::size_t index = TimeBuckets::index(ticks);
    EXPECT_TRUE(index == last || index == last + 1) << ticks;
    last = index;
  }
  EXPECT_EQ(TimeBuckets::index(~std::uint64_t{0}), TimeBuckets::kCount - 1);
  EXPECT_EQ(TimeBuckets::index((std::uint64_t{1} << TimeBuckets::kLongestBits) - 1),
            TimeBuckets::kCount - 1);
}

TEST(TimeBuckets, HaveTheirMiddleWithinSixPerCent) {
  for (std::uint64_t ticks = 1; ticks < std::uint64_t{1} << 44; ticks += ticks / 7 + 1) {
    const auto middle = static_cast<double>(TimeBuckets::middle(TimeBuckets::index(ticks)));
    EXPECT_NEAR(middle / static_cast<double>(ticks), 1, 0.0626) << ticks;
  }
}

TEST(TimeHistogram, HasQuantiles) {
  const auto histogram = std::make_unique<TimeHistogram>();
  for (std::uint64_t i = 1; i <= 1000; ++i) histogram->add(i);
  TimeCounts counts = histogram->read();
  EXPECT_EQ(counts.count, 1000u);
  EXPECT_EQ(counts.total, 500'500u);
  EXPECT_NEAR(static_cast<double>(counts.quantile(0.5)), 500, 32);
  EXPECT_NEAR(static_cast<double>(counts.quantile(0.99)), 990, 62);
  const TimeCounts before = counts;
  histogram->add(7);
  counts = histogram->read();
  counts -= before;
  EXPECT_EQ(counts.count, 1u);
  EXPECT_EQ(counts.quantile(0.5), 7u);
  EXPECT_EQ(TimeCounts().quantile(0.5), 0u);
}

std::uint64_t time_in(const StateTimes& times, WorkerState state) {
  return times[static_cast<std::size_t>(state)];
}

TEST(StateClock, AddsTimesUpByState) {
  StateClock clock;
  EXPECT_EQ(clock.read(100), StateTimes{});
  clock.start(WorkerState::kScheduler, 10);
  clock.enter(WorkerState::kUseful, 15);
  clock.enter(WorkerState::kScheduler, 40);
  clock.enter(WorkerState::kParked, 39);  // Clocks of two CPUs may differ.
  const StateTimes times = clock.read(100);
  EXPECT_EQ(time_in(times, WorkerState::kScheduler), 5u);
  EXPECT_EQ(time_in(times, WorkerState::kUseful), 25u);
  EXPECT_EQ(time_in(times, WorkerState::kParked), 60u);
  EXPECT_EQ(time_in(clock.read(0), WorkerState::kParked), 0u);
}

TEST(StateClock, LeavesOutTheOpenTimeOfOwnCode) {
  StateClock clock;
  clock.start(WorkerState::kOwnCode, 10);
  EXPECT_EQ(clock.read(100), StateTimes{});
  clock.enter(WorkerState::kScheduler, 30);
  EXPECT_EQ(time_in(clock.read(100), WorkerState::kOwnCode), 20u);
}

TEST(SuspendedFibers, IsAMap) {
  SuspendedFibers<std::uint64_t> fibers;
  std::map<std::uint64_t, std::uint64_t> expected;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t id = random() % 1000;
    if (random() % 2 == 0) {
      fibers.put(id, i);
      expected[id] = i;
      continue;
    }
    std::uint64_t note = 0;
    const auto found = expected.find(id);
    ASSERT_EQ(fibers.take(id, note), found != expected.end());
    if (found == expected.end()) continue;
    ASSERT_EQ(note, found->second);
    expected.erase(found);
  }
  fibers.clear();
  std::uint64_t note = 0;
  for (std::uint64_t id = 0; id < 1000; ++id) EXPECT_FALSE(fibers.take(id, note));
}

TEST(TimeTable, KeepsTheFirstPlaces) {
  const auto table = std::make_unique<TimeTable>();
  const auto no_label = [](auto&) {};
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 1; i <= 600; ++i) table->of({.code = i}, no_label).times.add(i);
  }
  std::uint64_t kept = 0;
  std::uint64_t others = 0;
  table->for_each([&](const TimeTable::Entry& entry) {
    const TimeCounts times = entry.times.read();
    if (entry.place == TimePlace{}) {
      others += times.count;
    } else {
      EXPECT_EQ(times.count, 2u);
      EXPECT_EQ(times.total, 2 * entry.place.code);
      ++kept;
    }
  });
  EXPECT_EQ(kept, 512u);
  EXPECT_EQ(others, 2u * 88);
}

}  // namespace
}  // namespace jobs::test
