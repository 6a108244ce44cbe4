// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An idle jobs::Scheduler.
#include "jobs/jobs.hpp"
#include "bench/idle/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::idle {

Figures on_jobs(const Conditions& conditions) {
  jobs::Scheduler scheduler({.worker_count = conditions.workers, .bind_caller = true});
  scheduler.run([&] {
    jobs::parallel_for(0u, conditions.workers, [](unsigned) { spin_for(kWork); }, jobs::Grain{1});
  });
  return when_idle(conditions);
}

}  // namespace bench::idle
