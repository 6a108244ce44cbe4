// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The verdicts on rows with known figures.
#include "bench/gate.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

using Verdict = Gate::Verdict;

constexpr double kAnyFigure = 1;
constexpr Interval kAround1 = {0.96, 1.04};

TEST(Gate, FasterLooksAtTheMedianRatio) {
  EXPECT_EQ(Gate::faster(6).judge(kAnyFigure, 6.0, {5.9, 6.1}), Verdict::kPass);
  EXPECT_EQ(Gate::faster(6).judge(kAnyFigure, 5.9, {5.8, 6.1}), Verdict::kMiss);
}

TEST(Gate, TieAllowsThreePerCentAtTheLowerEnd) {
  EXPECT_EQ(Gate::tie().judge(kAnyFigure, 1, {0.97, 1.01}), Verdict::kPass);
  EXPECT_EQ(Gate::tie().judge(kAnyFigure, 1, kAround1), Verdict::kMiss);
}

TEST(Gate, AheadWantsTheWholeIntervalAboveOne) {
  EXPECT_EQ(Gate::ahead().judge(kAnyFigure, 1.02, {1.0, 1.04}), Verdict::kPass);
  EXPECT_EQ(Gate::ahead().judge(kAnyFigure, 1.02, {0.99, 1.05}), Verdict::kMiss);
}

TEST(Gate, AtMostLooksAtOurFigureAlone) {
  EXPECT_EQ(Gate::at_most(6).judge(6, 0.5, kAround1), Verdict::kPass);
  EXPECT_EQ(Gate::at_most(6).judge(6.1, 2, kAround1), Verdict::kMiss);
}

TEST(Gate, ReportedHasNoVerdict) {
  EXPECT_EQ(Gate::reported().judge(kAnyFigure, 0.1, kAround1), Verdict::kNone);
}

TEST(Gate, MissesWhatIsNotANumber) {
  const double nan = median({});
  EXPECT_EQ(Gate::faster(1).judge(kAnyFigure, nan, {nan, nan}), Verdict::kMiss);
  EXPECT_EQ(Gate::tie().judge(kAnyFigure, nan, {nan, nan}), Verdict::kMiss);
}

}  // namespace
}  // namespace bench
