// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow paths of a spawned job: a submission by an external thread, and an exception that no
// counter receives.
#include "jobs/runtime/scheduler/spawned_job.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The calling external thread runs the jobs of the counter as a participant, so that a shutdown
// waits for it.
void run_jobs_of(const void* counter) {
  WorkerContext* const inside = this_context();
  Shared& shared = current_shared();
  SharedJobs& queues = shared.shared_jobs();
  if (!queues.has_normal()) return;
  WorkerContext* const entered = inside == nullptr ? shared.enter_participant() : nullptr;
  if (inside == nullptr && entered == nullptr) return;
  while (Job* const job = queues.take_of(counter)) job->run();
  if (entered != nullptr) shared.leave_participant(*entered);
}

void help_counter(const void* counter) noexcept {
  try {
    run_jobs_of(counter);
  } catch (...) {
    // The scheduler is shut down, or no memory is left: the workers have run the jobs, or run them.
  }
}

}  // namespace

void submit_outside(CountedJob& job) {
  const bool is_counted = job.counter() != nullptr;
  if (is_counted) this_thread().help_counter = &help_counter;
  current_shared().submit(job, is_counted);
}

void report_unhandled(std::exception_ptr exception) noexcept {
  this_context()->shared().unhandled(std::move(exception));
}

}  // namespace jobs::inline JOBS_ABI::detail
