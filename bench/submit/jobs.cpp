// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// submit by Scheduler::spawn(), and by jobs::spawn().
#include "bench/submit/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::submit {

Figures on_jobs(const Conditions& conditions) {
  jobs::Scheduler scheduler({.worker_count = conditions.workers});
  return figures_of([&scheduler](auto job) { scheduler.spawn(job); });
}

Figures on_default_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return figures_of([](auto job) { jobs::spawn(job); }); });
}

}  // namespace bench::submit
