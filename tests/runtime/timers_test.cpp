// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/timers.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "tests/runtime/timers_oracle.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

namespace {

using jobs::detail::Deadline;
using jobs::detail::Timers;
using jobs::os::kNever;
using jobs::os::Nanoseconds;

constexpr Nanoseconds kTick = 1 << 16;
constexpr Nanoseconds kHour = 3'600'000'000'000;
constexpr Nanoseconds kBoot = 12'345'678'901'234;  // a plausible time after a boot

std::vector<Deadline*> take_due(Timers& timers, Nanoseconds now) {
  std::vector<Deadline*> due;
  for (Deadline* deadline = timers.take_due(now); deadline != nullptr; deadline = deadline->next)
    due.push_back(deadline);
  return due;
}

TEST(Timers, AgreeWithASortedContainer) {
  const int runs = jobs::test::kSanitized ? 40 : 400;
  for (int run = 0; run < runs; ++run) {
    const std::uint64_t seed = jobs::test::seed() + static_cast<std::uint64_t>(run);
    ASSERT_EQ(jobs::test::compare_timers_with_oracle(seed, 5'000), "")
        << "run " << run << ", " << jobs::test::replay();
  }
}

TEST(Timers, AreNeverCheckedForLong) {
  const int count = jobs::test::kSanitized ? 1'000 : 3'000;
  EXPECT_EQ(jobs::test::check_length_of_looks(jobs::test::seed(), count), "")
      << jobs::test::replay();
}

TEST(Timers, WakeNoWorkerEarlyForWhatOneCheckMoves) {
  Timers timers;
  timers.take_due(kBoot);
  std::deque<Deadline> deadlines;
  while (deadlines.size() < Timers::kBatch)
    timers.arm(deadlines.emplace_back(nullptr, kBoot + kHour));
  EXPECT_EQ(timers.next_check(), kBoot + kHour);
  Deadline last_straw(nullptr, kBoot + kHour);
  timers.arm(last_straw);
  EXPECT_LT(timers.next_check(), kBoot + kHour);
  EXPECT_GT(timers.next_check(), kBoot);
  EXPECT_EQ(timers.take_due(timers.next_check()), nullptr);
  EXPECT_EQ(timers.nearest(), kBoot + kHour);
}

TEST(Timers, AreDisarmedWhereverTheyAre) {
  // A slot that moves ahead: some of its deadlines are still on the coarse level, some on the finer
  // one. All of these are disarmed; then all other deadlines still fire in order.
  Timers timers;
  timers.take_due(kBoot);
  std::deque<Deadline> deadlines;
  for (unsigned i = 0; i < 8 * Timers::kBatch; ++i)
    timers.arm(deadlines.emplace_back(nullptr, kBoot + kHour));
  const unsigned coarse = deadlines.front().slot_index;
  const Nanoseconds look = timers.next_check();
  for (int i = 0; i < 4; ++i) timers.take_due(look);
  EXPECT_EQ(deadlines.front().slot_index, coarse);
  EXPECT_NE(deadlines.back().slot_index, coarse);
  std::vector<Deadline*> expected;
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    if (i % 3 == 0) {
      expected.push_back(&deadlines[i]);
    } else {
      timers.disarm(deadlines[i]);
    }
  }
  EXPECT_EQ(take_due(timers, kBoot + kHour), expected);
  EXPECT_TRUE(timers.empty());
  EXPECT_EQ(timers.next_check(), kNever);
}

TEST(Timers, AreEmptyAtFirst) {
  Timers timers;
  EXPECT_TRUE(timers.empty());
  EXPECT_EQ(timers.nearest(), kNever);
  EXPECT_EQ(timers.take_due(kBoot), nullptr);
}

TEST(Timers, FireToTheNanosecondAndNeverEarly) {
  for (const Nanoseconds distance : std::initializer_list<Nanoseconds>{
           1, kTick - 1, 64 * kTick, 1 << 30, kHour, 10'000 * kHour}) {
    Timers timers;
    Deadline deadline(nullptr, kBoot + distance);
    timers.arm(deadline);
    EXPECT_EQ(timers.nearest(), deadline.at);
    EXPECT_EQ(timers.take_due(deadline.at - 1), nullptr) << distance;
    EXPECT_EQ(timers.nearest(), deadline.at);
    EXPECT_EQ(take_due(timers, deadline.at), std::vector{&deadline}) << distance;
    EXPECT_TRUE(timers.empty());
  }
}

TEST(Timers, FireWhatHasPassedAtTheNextCheck) {
  Timers timers;
  Deadline first(nullptr, kBoot);
  timers.arm(first);
  EXPECT_EQ(take_due(timers, kBoot), std::vector{&first});
  Deadline past(nullptr, 5);  // the wheel's time is far beyond
  timers.arm(past);
  EXPECT_EQ(timers.nearest(), 5);
  EXPECT_EQ(take_due(timers, kBoot), std::vector{&past});
}

TEST(Timers, KeepTheEndOfTime) {
  Timers timers;
  Deadline last(nullptr, kNever - 1);
  Deadline soon(nullptr, kBoot);
  timers.arm(last);
  timers.arm(soon);
  EXPECT_EQ(timers.nearest(), kBoot);
  EXPECT_EQ(take_due(timers, kBoot), std::vector{&soon});
  EXPECT_EQ(timers.take_due(kNever - 2), nullptr);
  EXPECT_EQ(take_due(timers, kNever - 1), std::vector{&last});
}

TEST(Timers, FireEqualOnesInTheOrderInWhichTheyWereArmed) {
  Timers timers;
  std::deque<Deadline> deadlines;
  std::vector<Deadline*> expected;
  const Nanoseconds at = kBoot + 100'000 * kTick;
  // From far away and from near: other levels.
  for (Nanoseconds now = kBoot; now < at; now += 9'000 * kTick) {
    Deadline clock(nullptr, now);
    timers.arm(clock);
    take_due(timers, now);
    for (int i = 0; i < 3; ++i) {
      timers.arm(deadlines.emplace_back(nullptr, at));
      expected.push_back(&deadlines.back());
    }
  }
  EXPECT_EQ(take_due(timers, at), expected);
}

TEST(Timers, ForgetWhatIsDisarmed) {
  Timers timers;
  Deadline one(nullptr, kBoot), two(nullptr, kBoot), three(nullptr, kBoot);
  for (Deadline* deadline : {&one, &two, &three}) timers.arm(*deadline);
  timers.disarm(one);
  timers.disarm(three);
  EXPECT_EQ(take_due(timers, kBoot), std::vector{&two});
  timers.disarm(two);  // has fired: nothing happens
  EXPECT_TRUE(timers.empty());
  EXPECT_EQ(timers.nearest(), kNever);
}

TEST(Timers, CheckNoFurtherThanTheClock) {
  // The lower bound of a slot may come from a deadline that was disarmed long ago. The check that
  // it causes must not lose the other deadlines.
  Timers timers;
  Deadline early(nullptr, kBoot + 70 * kTick), late(nullptr, kBoot + 100 * kTick);
  timers.arm(early);
  timers.arm(late);
  timers.disarm(early);
  EXPECT_LE(timers.nearest(), late.at);
  EXPECT_EQ(timers.take_due(early.at), nullptr);
  EXPECT_EQ(timers.nearest(), late.at);
  EXPECT_EQ(take_due(timers, late.at), std::vector{&late});
}

TEST(Timers, HoldAMillion) {
  constexpr int kCount = jobs::test::kSanitized ? 100'000 : 1'000'000;
  Timers timers;
  std::deque<Deadline> deadlines;
  for (int i = 0; i < kCount; ++i)
    timers.arm(deadlines.emplace_back(nullptr, kBoot + Nanoseconds{i} * 7919));
  int fired = 0;
  for (Nanoseconds now = kBoot; !timers.empty(); now += 64 * kTick) {
    for (Deadline* due = timers.take_due(now); due != nullptr; due = due->next) {
      ASSERT_LE(due->at, now);
      ASSERT_GT(due->at, now - 64 * kTick);
      ++fired;
    }
  }
  EXPECT_EQ(fired, kCount);
}

}  // namespace
