// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A worker without work, on a clock of its own.
#include "jobs/runtime/parking/idle_rhythm.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using jobs::detail::IdleRhythm;
using jobs::os::kNever;
using jobs::os::Nanoseconds;

constexpr Nanoseconds kSearch = 50'000;

struct Idler {
  explicit Idler(double share = 0.1) : rhythm(share) {}

  IdleRhythm rhythm;
  Nanoseconds now = 1'000'000'000;
  Nanoseconds spun = 0;  // in all
  Nanoseconds timer_late = 50'000;
  bool was_awake = false;  // when the last work arrived
  int wake_ups = 0;        // by itself

  // One gap of that length, then work that takes `busy`.
  void gap(Nanoseconds length, Nanoseconds busy = 40'000) {
    const Nanoseconds arrival = now + length;
    spin_until(rhythm.begin(now, kSearch), arrival);
    while (now < arrival) {
      was_awake = false;
      const Nanoseconds expected = rhythm.sleep(now);
      const Nanoseconds woken = expected == kNever ? kNever : expected + timer_late;
      const bool by_itself = woken < arrival;
      now = by_itself ? woken : arrival;
      const Nanoseconds until = rhythm.wake(now, by_itself, kSearch);
      if (!by_itself) continue;
      ++wake_ups;
      spin_until(until, arrival);
    }
    rhythm.found(arrival);
    now = arrival + busy;
  }

 private:
  void spin_until(Nanoseconds until, Nanoseconds arrival) {
    was_awake = arrival <= until;
    const Nanoseconds end = std::min(until, arrival);
    spun += std::max<Nanoseconds>(end - now, 0);
    now = std::max(now, end);
  }
};

TEST(IdleRhythm, SpinsAtFirstForTheWholeSearchTime) {
  Idler idler;
  EXPECT_EQ(idler.rhythm.begin(idler.now, kSearch), idler.now + kSearch);
}

TEST(IdleRhythm, IsAwakeWhenABurstOfASteadyRhythmArrives) {
  Idler idler;
  for (int i = 0; i < 20; ++i) idler.gap(160'000);
  const Nanoseconds spun = idler.spun;
  for (int i = 0; i < 100; ++i) {
    idler.gap(160'000);
    EXPECT_TRUE(idler.was_awake) << i;
  }
  // It sleeps for most of the gap.
  EXPECT_LT(idler.spun - spun, 100 * 40'000);
}

TEST(IdleRhythm, IsAwakeForFramesOfSixtyHertzThatVary) {
  Idler idler;
  const auto vary = [](int i) { return 12'000'000 + i * 7919 % 100'000; };
  for (int i = 0; i < 20; ++i) idler.gap(vary(i));
  int awake = 0;
  for (int i = 20; i < 120; ++i) {
    idler.gap(vary(i));
    if (idler.was_awake) ++awake;
  }
  EXPECT_GE(awake, 90);
}

TEST(IdleRhythm, WakesUpOnceAfterTheLastBurst) {
  Idler idler;
  for (int i = 0; i < 20; ++i) idler.gap(160'000);
  idler.wake_ups = 0;
  idler.gap(10'000'000'000);
  EXPECT_EQ(idler.wake_ups, 1);
  EXPECT_FALSE(idler.was_awake);
}

TEST(IdleRhythm, LearnsANewRhythm) {
  Idler idler;
  for (int i = 0; i < 20; ++i) idler.gap(160'000);
  for (int i = 0; i < 8; ++i) idler.gap(5'000'000);
  EXPECT_TRUE(idler.was_awake);
  for (int i = 0; i < 8; ++i) idler.gap(160'000);
  EXPECT_TRUE(idler.was_awake);
}

// The burst comes after the spin around its time.
TEST(IdleRhythm, LearnsAgainAfterABurstThatItHasMissed) {
  Idler idler;
  for (int i = 0; i < 20; ++i) idler.gap(1'000'000);
  idler.gap(1'400'000);
  idler.wake_ups = 0;
  for (int i = 0; i < 3; ++i) idler.gap(1'000'000);
  EXPECT_EQ(idler.wake_ups, 0);
  for (int i = 0; i < 5; ++i) idler.gap(1'000'000);
  EXPECT_GT(idler.wake_ups, 0);
}

TEST(IdleRhythm, ExpectsNothingOfGapsWithoutARhythm) {
  Idler idler;
  Nanoseconds gap = 100'000;
  for (int i = 0; i < 100; ++i) {
    gap = gap * 7 % 4'999'999;
    idler.gap(100'000 + gap);
  }
  idler.wake_ups = 0;
  idler.gap(50'000'000);
  EXPECT_EQ(idler.wake_ups, 0);
}

TEST(IdleRhythm, ExpectsNothingOfLongGaps) {
  Idler idler;
  for (int i = 0; i < 20; ++i) idler.gap(2 * IdleRhythm::kLongestGap);
  EXPECT_EQ(idler.wake_ups, 0);
}

TEST(IdleRhythm, SpinsInVainForNoMoreThanItsBudget) {
  for (const double share : {0.0, 0.02, 0.1, 0.5}) {
    Idler idler(share);
    const Nanoseconds start = idler.now;
    Nanoseconds gap = 1;
    for (int i = 0; i < 20'000; ++i) {
      gap = (gap * 48271) % 2147483647;
      idler.gap(60'000 + gap % 200'000, 10'000);  // always after the first spin
    }
    const auto wall = static_cast<double>(idler.now - start);
    const double least = 20'000.0 * IdleRhythm::kLeastSpin;  // before each sleep
    EXPECT_LE(static_cast<double>(idler.spun), share * wall + least + IdleRhythm::kMostSaved)
        << share;
  }
}

TEST(IdleRhythm, KeepsSpinningIfWorkFollowsAtOnce) {
  Idler idler;
  for (int i = 0; i < 10'000; ++i) {
    idler.gap(15'000, 1'000);
    EXPECT_TRUE(idler.was_awake) << i;
  }
}

// Other threads wake the worker, and another worker takes the work each time.
Nanoseconds spun_after_wake_ups_in_vain(double share, int wake_ups, Nanoseconds between) {
  IdleRhythm rhythm(share);
  Nanoseconds now = 1'000'000'000;
  Nanoseconds spun = 0;
  now = rhythm.begin(now, kSearch);
  for (int i = 0; i < wake_ups; ++i) {
    static_cast<void>(rhythm.sleep(now));
    now += between;
    const Nanoseconds until = rhythm.wake(now, false, kSearch);
    spun += until - now;
    now = until;
  }
  return spun;
}

TEST(IdleRhythm, SpendsItsBudgetOnWakeUpsInVain) {
  constexpr int kWakeUps = 10'000;
  constexpr Nanoseconds kBetween = 100'000;
  EXPECT_GT(spun_after_wake_ups_in_vain(1, kWakeUps, kBetween), kWakeUps * (kSearch - 1'000));
  const Nanoseconds least = kWakeUps * IdleRhythm::kLeastSpin;
  EXPECT_EQ(spun_after_wake_ups_in_vain(0, kWakeUps, kBetween), least);
  const Nanoseconds spun = spun_after_wake_ups_in_vain(0.1, kWakeUps, kBetween);
  EXPECT_GT(spun, least);
  EXPECT_LT(spun, IdleRhythm::kMostSaved + kWakeUps * kBetween / 8);
}

}  // namespace
