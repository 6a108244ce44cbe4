// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A thief and a victim with given rates, on a clock of their own.
#include "jobs/runtime/worker/theft_pace.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using jobs::detail::TheftPace;
using jobs::os::Nanoseconds;
using Step = TheftPace::Step;

// Nanoseconds per job of the victim alone, of the victim with the thief, and of the thief; and per
// push of the victim. 0: none.
struct Costs {
  double alone = 0;
  double disturbed = 0;
  double thief = 0;
  double push = 0;
};

struct Pair : Costs {
  explicit Pair(const Costs& costs) : Costs(costs) {}

  TheftPace pace;
  Nanoseconds now = 0;
  double jobs = 0;
  double pushes = 0;
  double own = 0;
  Nanoseconds stealing = 0;
  unsigned reads = 0;

  Step step() {
    return pace.step(now, static_cast<std::uint64_t>(own), [this] {
      ++reads;
      return TheftPace::Progress{static_cast<std::uint64_t>(jobs),
                                 static_cast<std::uint64_t>(pushes)};
    });
  }
  void work(double each, Nanoseconds time) {
    if (each > 0) jobs += static_cast<double>(time) / each;
    if (push > 0) pushes += static_cast<double>(time) / push;
    now += time;
  }
  // One step, and the time until the next one.
  Step turn() {
    const Step result = step();
    if (result == Step::kPause) {
      work(alone, pace.next() - now);
    } else {
      constexpr Nanoseconds kTheft = 500;
      own += static_cast<double>(kTheft) / thief;
      stealing += kTheft;
      work(disturbed, kTheft);
    }
    return result;
  }
  void run_for(Nanoseconds time) {
    for (const Nanoseconds end = now + time; now < end;) turn();
  }
};

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kLongestLook = TheftPace::kLongestRest / TheftPace::kLooksPerRest;

TEST(TheftPace, LeavesTheFirstTheftsToTheCaller) {
  Pair pair({.alone = 100, .disturbed = 400, .thief = 400, .push = 0});
  for (unsigned i = 1; i < TheftPace::kUnmeasuredThefts; ++i)
    EXPECT_EQ(pair.turn(), Step::kUnknown);
  EXPECT_EQ(pair.reads, 0u);
  EXPECT_EQ(pair.turn(), Step::kPause);
}

TEST(TheftPace, StealsWhatTwoWorkersFinishFaster) {
  Pair pair({.alone = 137, .disturbed = 190, .thief = 200, .push = 0});
  pair.run_for(100 * kMillisecond);
  EXPECT_GT(static_cast<double>(pair.stealing), 0.98 * static_cast<double>(pair.now));
}

TEST(TheftPace, RestsIfTheVictimAloneIsFaster) {
  Pair pair({.alone = 137, .disturbed = 390, .thief = 390, .push = 0});
  pair.run_for(100 * kMillisecond);
  EXPECT_LT(static_cast<double>(pair.stealing), 0.01 * static_cast<double>(pair.now));
  EXPECT_GT(pair.jobs + pair.own, 0.98 * static_cast<double>(pair.now) / pair.alone);
}

TEST(TheftPace, ReadsTheProgressOfTheVictimLessOftenInALongRest) {
  Pair pair({.alone = 137, .disturbed = 390, .thief = 390, .push = 0});
  pair.run_for(20 * kMillisecond);
  pair.reads = 0;
  pair.run_for(20 * kMillisecond);
  EXPECT_LT(pair.reads, 20 * kMillisecond / kLongestLook * 3 / 2);
}

TEST(TheftPace, RestsIfTheGainIsWithinTheErrorOfTheMeasurement) {
  Pair pair({.alone = 100, .disturbed = 200, .thief = 195, .push = 0});
  pair.run_for(100 * kMillisecond);
  EXPECT_LT(static_cast<double>(pair.stealing), 0.02 * static_cast<double>(pair.now));
}

TEST(TheftPace, EndsItsRestWhenTheJobsBecomeLonger) {
  Pair pair({.alone = 137, .disturbed = 390, .thief = 390, .push = 0});
  pair.run_for(10 * kMillisecond);
  pair.alone = pair.disturbed = 1'000;
  pair.thief = 1'250;
  const Nanoseconds change = pair.now;
  while (pair.turn() == Step::kPause) {
  }
  EXPECT_LE(pair.now - change, 2 * kLongestLook + TheftPace::kLook);
  pair.run_for(10 * kMillisecond);
  EXPECT_EQ(pair.turn(), Step::kSteal);
}

TEST(TheftPace, EndsItsRestWhenTheVictimStops) {
  Pair pair({.alone = 137, .disturbed = 390, .thief = 390, .push = 0});
  pair.run_for(10 * kMillisecond);
  pair.alone = pair.disturbed = 0;
  const Nanoseconds change = pair.now;
  while (pair.turn() == Step::kPause) {
  }
  EXPECT_LE(pair.now - change, 2 * kLongestLook + TheftPace::kLook);
}

TEST(TheftPace, StealsFromAVictimInALongJob) {
  Pair pair({.alone = 0, .disturbed = 0, .thief = 300, .push = 0});
  pair.run_for(10 * kMillisecond);
  EXPECT_GT(static_cast<double>(pair.stealing), 0.98 * static_cast<double>(pair.now));
}

// A page fault of the victim, or a moment without a CPU, looks like a long job.
TEST(TheftPace, StopsStealingSoonAfterTheVictimHasGoneOn) {
  Pair pair({.alone = 0, .disturbed = 0, .thief = 300, .push = 0});
  pair.run_for(kMillisecond / 10);
  pair.alone = 137;
  pair.disturbed = pair.thief = 390;
  pair.stealing = 0;
  pair.run_for(kMillisecond);
  EXPECT_LT(pair.stealing, 2 * TheftPace::kLook + 2 * TheftPace::kTogether);
}

TEST(TheftPace, StealsOnWhileTheJobsOfTheVictimAreLongerThanATheft) {
  Pair pair({.alone = 5'000, .disturbed = 5'000, .thief = 300, .push = 0});
  pair.run_for(100 * kMillisecond);
  EXPECT_GT(static_cast<double>(pair.stealing), 0.98 * static_cast<double>(pair.now));
}

TEST(TheftPace, TrustsTheFirstResultForAShortTime) {
  Pair pair({.alone = 137, .disturbed = 190, .thief = 200, .push = 0});
  pair.run_for(kMillisecond / 10);
  pair.disturbed = pair.thief = 390;
  pair.stealing = 0;
  pair.run_for(kMillisecond);
  EXPECT_LT(pair.stealing, TheftPace::kFirstValid + 2 * TheftPace::kTogether);
}

TEST(TheftPace, MeasuresAgainAfterAResultWasValid) {
  Pair pair({.alone = 137, .disturbed = 190, .thief = 200, .push = 0});
  pair.run_for(10 * kMillisecond);
  pair.disturbed = pair.thief = 390;
  pair.run_for(100 * kMillisecond);
  EXPECT_LT(static_cast<double>(pair.stealing), 0.12 * static_cast<double>(pair.now));
}

TEST(TheftPace, LeavesTheDecisionToTheCallerWhileTheVictimCreatesJobs) {
  Pair pair({.alone = 0, .disturbed = 0, .thief = 300, .push = 10});
  for (int i = 0; i < 20'000; ++i) EXPECT_NE(pair.turn(), Step::kSteal);
  EXPECT_GT(static_cast<double>(pair.stealing), 0.9 * static_cast<double>(pair.now));
}

TEST(TheftPace, ReliesOnARecentResultWhileTheVictimCreatesJobs) {
  Pair pair({.alone = 137, .disturbed = 390, .thief = 390, .push = 0});
  pair.run_for(10 * kMillisecond);
  pair.alone = pair.disturbed = 0;
  pair.push = 10;
  pair.stealing = 0;
  pair.run_for(5 * kMillisecond);
  EXPECT_LT(pair.stealing, kMillisecond / 10);
  // A result becomes too old, because the jobs may differ.
  pair.run_for(20 * kMillisecond);
  EXPECT_GT(pair.stealing, 5 * kMillisecond);
}

}  // namespace
