// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the measured code as a job on the bound thread of a fresh scheduler.
#pragma once

#include <utility>

#include "jobs/jobs.hpp"

namespace bench {

// W threads run jobs: this thread, which is worker 0, and W - 1 further threads.
template <class F>
auto inside_jobs(unsigned workers, F&& measure) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  return scheduler.run(std::forward<F>(measure));
}

}  // namespace bench
