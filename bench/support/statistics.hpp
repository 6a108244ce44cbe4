// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of rounds: the median and its interval.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

struct Interval {
  double lo;
  double hi;
};

// Returns the median: the mean of the middle two for an even number of samples, and not a number
// for none.
double median(std::vector<double> samples);

// Returns the `fraction` quantile (0 ... 1) by linear interpolation. pre: samples is not empty.
double quantile(std::vector<double> samples, double fraction);

// Returns the 95 % percentile-bootstrap interval of the median. The resampling is seeded: equal
// samples give an equal interval.
Interval bootstrap_median(std::span<const double> samples, std::size_t resamples = 10'000);

// Returns peer / jobs per round. A disturbance that lasts longer than a round slows both halves of
// a pair and cancels.
std::vector<double> paired_ratios(std::span<const double> peer, std::span<const double> jobs);

}  // namespace bench
