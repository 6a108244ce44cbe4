// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// start_stop: the runtime starts, runs one job and stops, with all its threads joined. Unit: ns per
// cycle. A Scheduler starts its threads at once. oneTBB starts none for one task, so this row
// compares the life of a thread with no thread at all.
#pragma once

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::start_stop {

inline constexpr int kCycles = 100;

// `cycle()` is one life of the runtime and returns 1, the result of its job.
template <class Cycle>
double cycle_ns(Cycle&& cycle) {
  return checked_ns(kCycles,
                    [&] {
                      int jobs_run = 0;
                      for (int i = 0; i < kCycles; ++i) jobs_run += cycle();
                      return jobs_run;
                    }) /
         kCycles;
}

Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::start_stop
