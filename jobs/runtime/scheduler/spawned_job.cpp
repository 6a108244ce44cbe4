// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow paths of a spawned job: a submission by an external thread or with options, and an
// exception that no counter receives.
#include "jobs/runtime/scheduler/spawned_job.hpp"

#include <cstdint>
#include <utility>

#include "jobs/fiber/fiber_label.hpp"
#include "jobs/fiber/float_control.hpp"
#include "jobs/runtime/scheduler/priority_lift.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Returns the scheduler of the calling external thread if the thread may run jobs of it. A thread
// that is no participant becomes one, so that a shutdown waits for it. Returns null if the
// scheduler is shut down, or no memory or slot is left: the workers have run the jobs, or run them.
Shared* enter_participant() noexcept {
  try {
    Shared& shared = current_shared();
    if (!shared.shared_jobs().has_normal()) return nullptr;
    return this_context() != nullptr || shared.enter_participant() != nullptr ? &shared : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// As a worker does: the jobs begin with the default floating-point control, jobs of higher
// priorities go first, and an exception that leaves a job ends the program. A host of its own makes
// the jobs another owner of locks than the frames of the caller.
JOBS_COLD void help_counter(const void* counter) noexcept {
  const bool is_inside = this_context() != nullptr;
  Shared* const shared = enter_participant();
  if (shared == nullptr) return;
  SharedJobs& queues = shared->shared_jobs();
  ThreadHost host;
  host.current().id = kBorrowedThread;
  FiberHost* const outer = std::exchange(this_thread().host, &host);
  const FloatControl own = float_control();
  while (!queues.waits(Priority::kCritical) && !queues.waits(Priority::kHigh)) {
    Job* const job = queues.take_of(counter);
    if (job == nullptr) break;
    ensure_default_float_control();
    job->run();
  }
  set_float_control(own);
  this_thread().host = outer;
  if (!is_inside) return shared->leave_participant(*this_context());
  // No worker parks after the jobs that this thread has run, and a drain may have waited for them.
  if (shared->is_in_blocking_call()) shared->before_park();
}

}  // namespace

void submit_outside(CountedJob& job) {
  Shared& shared = current_shared();
  if (const auto submit_to_thread = shared.submit_to_thread()) [[unlikely]]
    return submit_to_thread(shared, job);
  const bool is_counted = job.counter() != nullptr;
  if (is_counted) this_thread().help_counter = &help_counter;
  shared.submit(job, is_counted);
}

void submit_spawned(Shared& shared, CountedJob& job, JobMessage& message,
                    const SpawnOptions& options) {
  if (options.priority > Priority::kNormal) [[unlikely]]
    return PriorityLift::submit(shared, job, message, options);
  shared.submit_valid(job, message, options);
}

void report_unhandled(std::exception_ptr exception) noexcept {
  this_context()->shared().unhandled(std::move(exception));
}

}  // namespace jobs::inline JOBS_ABI::detail
