// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Passes a blocking call to the pool of threads of the scheduler.
#include "jobs/blocking.hpp"

#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool is_on_worker() noexcept {
  const WorkerContext* const context = this_context();
  return context != nullptr && !context->is_external();
}

void run_blocking(Job& job) {
  SchedulerCore::of(this_context()->shared()).blocking_pool().run(job);
}

}  // namespace jobs::inline JOBS_ABI::detail
