// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The wake-ups by jobs::spawn() and by jobs::parallel_for() with an explicit grain.
#include "bench/support/inside_jobs.hpp"
#include "bench/wake/workload.hpp"

namespace bench::wake {

Figures hot_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    jobs::Counter counter;
    return Figures{hot_ns([&counter](auto job) { jobs::spawn(counter, job); },
                          [&counter] { counter.wait(); })};
  });
}

Figures idle_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{idle_ns([](auto body) { jobs::parallel_for(0, 2, body, jobs::Grain{1}); })};
  });
}

Figures idle_hot_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    const jobs::ParallelPhase phase;
    return Figures{idle_ns([](auto body) { jobs::parallel_for(0, 2, body, jobs::Grain{1}); })};
  });
}

}  // namespace bench::wake
