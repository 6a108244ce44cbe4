// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How the public templates hand jobs to a scheduler whose inside they do not see.
#pragma once

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/spawn_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// The calling thread is a worker of that scheduler.
JOBS_EXPORT bool runs_on(const Shared& shared) noexcept;
// The job adds 1 to the `finished` of the lane it ends on. Throws Error(kStopped), std::bad_alloc.
JOBS_EXPORT void submit(Shared& shared, Job& job);
// As submit(), but sends the job where the options say. `message`: a part of the job. Throws Error(kBadArgument) as well.
JOBS_EXPORT void submit_placed(Shared& shared, Job& job, JobMessage& message, const SpawnOptions& options);

JOBS_OF_MODE_BEGIN

// Runs f as a job of `shared`'s scheduler and waits for it; in place if the caller is one of its workers.
template <class F>
std::invoke_result_t<F&> run_and_wait(Shared& shared, F&& f) {
  if (runs_on(shared)) return f();
  CallJob job(f, []() noexcept { this_context()->finished.add(1); });
  submit(shared, job);
  job.join();
  return job.take();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
