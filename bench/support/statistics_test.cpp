// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The statistics of the benchmark, on samples with known answers.
#include "bench/support/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bench {
namespace {

TEST(Median, IsTheMiddleOfAnOddNumber) { EXPECT_EQ(median({9, 1, 5}), 5); }
TEST(Median, IsTheMeanOfTheMiddleTwoOfAnEvenNumber) { EXPECT_EQ(median({4, 1, 3, 100}), 3.5); }
TEST(Median, OfNothingIsNotANumber) { EXPECT_TRUE(std::isnan(median({}))); }

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.25), 12.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 1), 20);
}

TEST(BootstrapMedian, OfEqualSamplesHasNoWidth) {
  const Interval interval = bootstrap_median(std::vector<double>(15, 2.5));
  EXPECT_EQ(interval.lo, 2.5);
  EXPECT_EQ(interval.hi, 2.5);
}

TEST(BootstrapMedian, IsTheSameForTheSameSamples) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(bootstrap_median(samples).lo, bootstrap_median(samples).lo);
}

TEST(BootstrapMedian, CoversTheMedianAndShrugsOffAnOutlier) {
  std::vector<double> samples(15, 1.0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 0.01 * static_cast<double>(i);
  samples.back() = 1'000;
  const Interval interval = bootstrap_median(samples);
  EXPECT_LE(interval.lo, median(samples));
  EXPECT_GE(interval.hi, median(samples));
  EXPECT_LT(interval.hi, 1.2);
}

// The exact interval of the median of 15 ordered samples lies between the 4th and the 12th at 96.5
// % confidence.
TEST(BootstrapMedian, IsAboutAsWideAsTheExactIntervalOfOrderStatistics) {
  std::vector<double> samples(15);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>(i + 1);
  const Interval interval = bootstrap_median(samples);
  EXPECT_NEAR(interval.lo, 4, 1);
  EXPECT_NEAR(interval.hi, 12, 1);
}

TEST(PairedRatios, CancelWhatSlowsBothSidesOfARound) {
  const std::vector<double> jobs = {1, 10, 1};
  const std::vector<double> peer = {2, 20, 2};
  EXPECT_EQ(paired_ratios(peer, jobs), (std::vector<double>{2, 2, 2}));
}

}  // namespace
}  // namespace bench
