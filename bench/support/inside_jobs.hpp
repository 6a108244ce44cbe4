// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the measured code of jobs in the form that the row asks for; the only place that knows the
// forms.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "bench/support/contender.hpp"
#include "jobs/jobs.hpp"

namespace bench {

// Starts the default scheduler with this number of workers if it does not run. It runs, asleep
// between the turns, until the end of the process. All external rows therefore have one W.
inline void start_default_scheduler(unsigned workers) {
  [[maybe_unused]] static const bool set = [workers] {
    jobs::set_default_options({.worker_count = workers});
    return true;
  }();
  if (jobs::worker_count() != workers) {
    throw std::runtime_error("the default scheduler has " + std::to_string(jobs::worker_count()) +
                             " workers instead of " + std::to_string(workers));
  }
}

// W threads run jobs. Bound: this thread, which is worker 0, and W - 1 further threads. Named: W
// further threads. External: at most W at a time of this thread and W further threads.
template <class F>
auto inside_jobs(const Conditions& conditions, F&& measure) {
  if (conditions.form == Form::kExternal) {
    start_default_scheduler(conditions.workers);
    return measure();
  }
  jobs::Scheduler scheduler(
      {.worker_count = conditions.workers, .bind_caller = conditions.form == Form::kBound});
  return scheduler.run(std::forward<F>(measure));
}

}  // namespace bench
