// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow paths of a spawned job: a submission by an external thread or with options, and an
// exception that no counter receives.
#include "jobs/runtime/scheduler/spawned_job.hpp"

#include <cstddef>
#include <utility>

#include "jobs/fiber/fiber_label.hpp"
#include "jobs/fiber/float_control.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/priority_lift.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

bool is_inside(const Shared& shared) noexcept {
  const WorkerContext* const context = this_context();
  return context != nullptr && &context->shared() == &shared;
}

// Makes the calling external thread a participant of the scheduler, so that a shutdown waits for
// it. If that is impossible, returns false, or throws Error(kStopped) or std::bad_alloc: the
// workers have run the jobs, or run them.
JOBS_ALWAYS_INLINE bool enter(Shared& shared) {
  return is_inside(shared) || shared.enter_participant() != nullptr;
}

// As a worker does: the jobs begin with the default floating-point control, jobs of higher
// priorities go first, and an exception that leaves a job ends the program. A host of its own makes
// the jobs another owner of locks than the frames of the caller. `outer`: the context of the caller
// before enter().
JOBS_COLD void run_jobs_of(const void* counter, Shared& shared, ThreadContext* outer) noexcept {
  ThreadHost host;
  host.current().id = kBorrowedThread;
  FiberHost* const outer_host = std::exchange(this_thread().host, &host);
  const FloatControl own = float_control();
  while (Job* const job = shared.shared_jobs().take_of(counter)) {
    ensure_default_float_control();
    job->run();
  }
  set_float_control(own);
  this_thread().host = outer_host;
  if (this_context() != outer) {
    shared.leave_participant(*this_context());
    this_thread().context = outer;
    return;
  }
  // No worker parks after the jobs that this thread has run, and a drain may have waited for them.
  if (shared.is_in_blocking_call()) shared.before_park();
}

// Runs jobs of the current scheduler.
JOBS_COLD void help_here(const void* counter) noexcept {
  ThreadContext* const outer = this_thread().context;
  try {
    Shared& shared = current_shared();
    const SharedJobs& queues = shared.shared_jobs();
    if (!queues.has_upper() && !queues.waits(Priority::kLow)) return;
    if (enter(shared)) run_jobs_of(counter, shared, outer);
  } catch (...) {
  }
}

}  // namespace

// The lock of the list keeps a scheduler alive until the thread is a participant.
JOBS_COLD void help_in_any_scheduler(const void* counter) noexcept {
  ThreadContext* const outer = this_thread().context;
  for (std::size_t seen = 0;;) {
    Shared* entered = nullptr;
    std::size_t position = 0;
    CoreList::instance().for_each([&](SchedulerCore& core) {
      if (entered != nullptr || position++ < seen) return;
      ++seen;
      try {
        if (core.shared_jobs().may_have_of(counter) && enter(core)) entered = &core;
      } catch (...) {
      }
    });
    if (entered == nullptr) return;
    run_jobs_of(counter, *entered, outer);
  }
}

void submit_outside(CountedJob& job) {
  const bool is_counted = job.counter() != nullptr;
  if (is_counted && this_thread().help_counter == nullptr) this_thread().help_counter = &help_here;
  current_shared().submit(job, is_counted);
}

void submit_into(Shared& shared, CountedJob& job) {
  const bool is_counted = job.counter() != nullptr;
  if (is_counted) this_thread().help_counter = &help_in_any_scheduler;
  shared.submit(job, is_counted);
}

void submit_spawned(Shared& shared, CountedJob& job, JobMessage& message,
                    const SpawnOptions& options) {
  message.is_counted = job.counter() != nullptr;
  if (message.is_counted) this_thread().help_counter = &help_in_any_scheduler;
  if (options.priority > Priority::kNormal) [[unlikely]]
    return PriorityLift::submit(shared, job, message, options);
  shared.submit_valid(job, message, options);
}

void report_unhandled(std::exception_ptr exception) noexcept {
  this_context()->shared().unhandled(std::move(exception));
}

}  // namespace jobs::inline JOBS_ABI::detail
