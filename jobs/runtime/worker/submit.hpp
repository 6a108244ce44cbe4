// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Submission of jobs for the public templates, which see Shared as an incomplete type. Any thread
// may call these functions.
#pragma once

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// Returns whether the calling thread is a worker of that scheduler.
JOBS_EXPORT bool runs_on(const Shared& shared) noexcept;
// Submits a job. The job itself must add 1 to the `finished` of the WorkerContext on which it ends.
// Throws Error(kStopped), std::bad_alloc.
JOBS_EXPORT void submit(Shared& shared, Job& job);

JOBS_OF_MODE_BEGIN

// Runs f as a job of the scheduler of `shared` and waits for it. If the calling thread is a worker
// of this scheduler, calls f in place.
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
