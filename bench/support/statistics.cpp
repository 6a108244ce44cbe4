// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Medians, quantiles and bootstrap intervals.
#include "bench/support/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>

namespace bench {

double quantile(std::vector<double> samples, double fraction) {
  assert(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const double position = fraction * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double weight = position - static_cast<double>(below);
  return samples[below] * (1 - weight) + samples[above] * weight;
}

double median(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  return quantile(std::move(samples), 0.5);
}

Interval bootstrap_median(std::span<const double> samples, std::size_t resamples) {
  if (samples.empty()) return {median({}), median({})};
  std::mt19937_64 random(20'260'101);
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  std::vector<double> medians(resamples);
  std::vector<double> resample(samples.size());
  for (double& one : medians) {
    for (double& sample : resample) sample = samples[pick(random)];
    one = median(resample);
  }
  return {quantile(medians, 0.025), quantile(medians, 0.975)};
}

std::vector<double> paired_ratios(std::span<const double> peer, std::span<const double> jobs) {
  assert(peer.size() == jobs.size());
  std::vector<double> ratios(jobs.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = peer[i] / jobs[i];
  return ratios;
}

}  // namespace bench
