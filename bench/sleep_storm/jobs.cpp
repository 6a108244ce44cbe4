// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs that sleep by jobs::this_fiber::sleep_for().
#include "bench/sleep_storm/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::sleep_storm {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    Lateness lateness;
    jobs::Counter fibers;
    for (std::int64_t i = 0; i < kFibers; ++i) {
      jobs::spawn(fibers, [&] {
        lateness.measure([](auto duration) { jobs::this_fiber::sleep_for(duration); });
      });
    }
    fibers.wait();
    return lateness.figures();
  });
}

}  // namespace bench::sleep_storm
