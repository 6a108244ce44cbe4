// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How the public templates hand jobs to a scheduler whose inside they do not see.
#pragma once

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/call_job.hpp"
#include "jobs/runtime/job.hpp"
#include "jobs/runtime/lane.hpp"
#include "jobs/runtime/placed_jobs.hpp"
#include "jobs/runtime/spawn_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

// The default scheduler's; starts it at the first call. Throws what starting one throws.
JOBS_EXPORT SchedulerCore& default_core();
// The calling thread's, else the default one.
JOBS_EXPORT SchedulerCore& current_core();
JOBS_EXPORT bool runs_on(const SchedulerCore& core) noexcept;
// The job adds 1 to the `finished` of the lane it ends on. Throws Error(kStopped), std::bad_alloc.
JOBS_EXPORT void submit(SchedulerCore& core, Job& job);
// As submit(), to where the options say. `message`: a part of the job. Throws Error(kBadArgument) as well.
JOBS_EXPORT void submit_placed(SchedulerCore& core, Job& job, JobMessage& message, const SpawnOptions& options);

JOBS_OF_MODE_BEGIN

// Runs f as a job of `core` and waits for it; in place if the caller is one of its workers.
template <class F>
std::invoke_result_t<F&> run_and_wait(SchedulerCore& core, F&& f) {
  if (runs_on(core)) return f();
  CallJob job(f, []() noexcept { this_thread().lane->finished.add(1); });
  submit(core, job);
  job.join();
  return job.take();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
