// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tiny_tasks: 262,144 detached jobs of 0.1 us each from one producer, which is itself a job; 20
// runs on one scheduler. Unit: ns per job, the median of the runs. tiny_tasks_spread: the slowest
// run divided by the median. Unit: x.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/support/chain.hpp"
#include "bench/support/contender.hpp"
#include "bench/support/statistics.hpp"

namespace bench::tiny_tasks {

inline constexpr int kJobs = 262'144;
inline constexpr int kRuns = 20;
inline constexpr std::int64_t kSteps = 100;

// The body of a job.
inline void work() { opaque(chain(kFirst, kSteps)); }

// `run()` returns the number of jobs that it has run.
template <class Run>
Figures figures_of(Run&& run) {
  expect_equal(kJobs, run());
  std::vector<double> samples;
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch stopwatch;
    const int ran = run();
    samples.push_back(stopwatch.elapsed_ns());
    expect_equal(kJobs, ran);
  }
  const double slowest = *std::max_element(samples.begin(), samples.end());
  const double middle = median(std::move(samples));
  return {middle / kJobs, slowest / middle};
}

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::tiny_tasks
