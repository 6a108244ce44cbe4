// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What turns rounds into a row: the median, and how far to trust it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

struct Interval {
  double lo;
  double hi;
};

// Not a number if empty; the mean of the middle two if there is an even number of samples.
double median(std::vector<double> samples);

// The `fraction` quantile (0 ... 1) by linear interpolation. pre: samples is not empty.
double quantile(std::vector<double> samples, double fraction);

// 95 % percentile-bootstrap interval of the median. The resampling is seeded: equal samples give an equal interval.
Interval bootstrap_median(std::span<const double> samples, std::size_t resamples = 10'000);

// peer / jobs round by round: a disturbance that lasts longer than a round slows both halves of a pair and cancels.
std::vector<double> paired_ratios(std::span<const double> peer, std::span<const double> jobs);

}  // namespace bench
