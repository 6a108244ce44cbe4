// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// spawn_after() starts jobs after other jobs; spawn_at() starts jobs at a point in time.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/job_handle.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/dependent_job.hpp"
#include "jobs/runtime/scheduler/job_trigger.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI {

/// An element of the list of predecessors of spawn_after().
///
/// It converts from a JobHandle, so that `spawn_after({a, b}, f)` copies no handles.
class Predecessor {
 public:
  /// Refers to a handle.
  ///
  /// @param handle  handle that exists until spawn_after() returns
  // NOLINTNEXTLINE(google-explicit-constructor): `{a, b}` is a list of handles
  Predecessor(const JobHandle& handle) noexcept : handle_(&handle) {}

  /// @cond internal
  // NOLINTNEXTLINE(google-explicit-constructor): an element of either kind of list
  operator const JobHandle&() const noexcept { return *handle_; }
  /// @endcond

 private:
  const JobHandle* handle_;
};

/// Number of dependencies of a job, for spawn_after().
struct DependencyCount {
  /// Number of calls of JobHandle::remove_dependency() after which the job starts.
  std::size_t count = 1;
};

namespace detail {

JOBS_OF_MODE_BEGIN

// Makes a job with `trailers` trailers and counts it as submitted.
template <class Trailer, class F>
auto* make_admitted(std::uint32_t count, std::size_t trailers, F&& function) {
  auto* const job = ClosureJob<std::decay_t<F>, Trailer>::make(current_shared(), count, trailers,
                                                               std::forward<F>(function));
  JOBS_TRY { job->admit(); }
  JOBS_CATCH_ALL {
    job->discard();
    JOBS_RETHROW;
  }
  return job;
}

template <class Handles, class F>
JobHandle spawn_after_each(const Handles& predecessors, Dependency dependency, F&& function) {
  for (const JobHandle& entry : predecessors) static_cast<void>(JobHandleAccess::job_of(entry));
  auto* const job = make_admitted<Successor>(static_cast<std::uint32_t>(predecessors.size() + 1),
                                             predecessors.size(), std::forward<F>(function));
  auto* memory = static_cast<Successor*>(job->trailers());
  std::uint32_t met = 1;
  for (const JobHandle& entry : predecessors) {
    auto& successor = *::new (static_cast<void*>(memory++)) Successor(*job, dependency, false);
    if (!job->follow(JobHandleAccess::job_of(entry), successor)) ++met;
  }
  job->meet(met);
  return JobHandleAccess::make(*job);
}

JOBS_OF_MODE_END

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Starts a job after other jobs.
///
/// The job starts when each predecessor has ended, and sees their effects. Until then it occupies
/// neither a worker nor a stack. If a predecessor fails, the job is left out (see JobHandle). A
/// list without predecessors starts the job at once. The job runs on the scheduler of the calling
/// thread, or on the default scheduler. Predecessors of other schedulers are allowed.
///
/// The scheduler accepts the job with this call: a shutdown waits for it. If a dependency is never
/// met, shutdown() never returns, and shutdown_for() returns false.
///
/// @snippet scheduling.cpp spawn_after
///
/// @param predecessors  handles of jobs, as in `{a, b}`
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if a handle is empty; nothing was spawned
/// @complexity O(predecessors), one allocation: 72 bytes, the closure, and 16 bytes per predecessor
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(std::initializer_list<Predecessor> predecessors, F&& function) {
  return detail::spawn_after_each(predecessors, detail::Dependency::kResult,
                                  std::forward<F>(function));
}
/// Starts a job after the jobs of a range.
///
/// @param predecessors  handles of jobs, such as a std::vector<JobHandle>
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if a handle is empty; nothing was spawned
/// @complexity O(predecessors), one allocation
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(std::span<const JobHandle> predecessors, F&& function) {
  return detail::spawn_after_each(predecessors, detail::Dependency::kResult,
                                  std::forward<F>(function));
}
/// Starts a job after another job.
///
/// @param predecessor  handle of a job
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if the handle is empty; nothing was spawned
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(const JobHandle& predecessor, F&& function) {
  return detail::spawn_after_each(std::span(&predecessor, 1), detail::Dependency::kResult,
                                  std::forward<F>(function));
}
/// Starts a job when the count of a Counter reaches zero.
///
/// If the count is zero already, the job starts at once. Exceptions that the Counter has recorded
/// stay there, for Counter::wait(). The Counter must exist until the job starts; its destructor
/// aborts otherwise.
///
/// @param counter  tracks other jobs
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @complexity O(1), one allocation: 120 bytes and the closure
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(Counter& counter, F&& function) {
  auto* const job = detail::make_admitted<detail::CounterWait>(1, 1, std::forward<F>(function));
  auto& wait = *::new (job->trailers()) detail::CounterWait(*job);
  if (!detail::JobTrigger::follow(counter, wait)) job->meet(1);
  return detail::JobHandleAccess::make(*job);
}
/// Starts a job when at most `most` jobs of a Counter are outstanding.
///
/// The job starts while the other ones run on: the next part of a stream, once enough earlier parts
/// have ended. It sees the effects of the jobs that have ended. If at most `most` jobs are
/// outstanding already, it starts at once. Other threads may add jobs at the same time; while they
/// keep the count above `most`, the job waits on. It starts once. Counter::wait_until_at_most() is
/// the same wait for a fiber.
///
/// The Counter must exist until the job starts; its destructor aborts otherwise. Exceptions that
/// the Counter has recorded stay there, for Counter::wait(). While a job waits here, each done()
/// takes a spin lock.
///
/// @snippet scheduling.cpp spawn_after_at_most
///
/// @param counter  tracks other jobs
/// @param most  number of outstanding jobs; 0 is the form without a number
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @complexity O(1), one allocation: 152 bytes and the closure
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(Counter& counter, std::size_t most, F&& function) {
  auto* const job = detail::make_admitted<detail::ThresholdWait>(1, 1, std::forward<F>(function));
  auto& wait = *::new (job->trailers()) detail::ThresholdWait(*job, counter, most);
  if (!wait.threshold.link(wait)) job->meet(1);
  return detail::JobHandleAccess::make(*job);
}
/// Starts a job after a number of calls of JobHandle::remove_dependency().
///
/// JobHandle::add_dependency() adds further dependencies before the start.
///
/// @snippet scheduling.cpp dependency_count
///
/// @param dependencies  number of dependencies; 0 starts the job at once
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if the number is 2^30 - 1 or more; nothing was spawned
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_after(DependencyCount dependencies, F&& function) {
  const std::uint32_t count = detail::DependentJob::checked_count(dependencies.count);
  auto* const job =
      detail::make_admitted<detail::Successor>(count + 1, 0, std::forward<F>(function));
  job->note_added(count);
  job->meet(1);
  return detail::JobHandleAccess::make(*job);
}

/// Starts a completion action: a job after the end of another job, also if that job fails.
///
/// As spawn_after(), but the job is not left out if the other job throws or is left out. Its
/// exceptions do not concern the other job.
///
/// @param predecessor  handle of a job
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the completion action
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if the handle is empty; nothing was spawned
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_on_end(const JobHandle& predecessor, F&& function) {
  return detail::spawn_after_each(std::span(&predecessor, 1), detail::Dependency::kEnd,
                                  std::forward<F>(function));
}

/// Starts a job at a point in time.
///
/// The job starts at the first check of a worker at or after this time; a past time starts it at
/// once. Until then it occupies neither a worker nor a stack. A shutdown waits for it.
///
/// @snippet scheduling.cpp spawn_at
///
/// @param when  point in time on any clock
/// @param function  callable without arguments; moved or copied into the job
/// @returns handle of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if the time is NaN; nothing was spawned
/// @complexity O(1), one allocation: 152 bytes and the closure
/// @thread_safety any thread or fiber, concurrently
template <class Clock, class Duration, class F>
  requires std::invocable<std::decay_t<F>&>
JobHandle spawn_at(const std::chrono::time_point<Clock, Duration>& when, F&& function) {
  const os::Nanoseconds deadline = detail::to_deadline(when);
  detail::Shared& shared = detail::current_shared();
  auto* const job = detail::ClosureJob<std::decay_t<F>, detail::TimedStart>::make(
      shared, 1, 1, std::forward<F>(function));
  auto& start = *::new (job->trailers()) detail::TimedStart(*job, deadline);
  JOBS_TRY { start.start(shared); }
  JOBS_CATCH_ALL {
    job->discard();
    JOBS_RETHROW;
  }
  return detail::JobHandleAccess::make(*job);
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class Predecessors, class F>
  requires(!std::invocable<std::decay_t<F>&>)
JobHandle spawn_after(const Predecessors&, F&&) {
  static_assert(detail::kNever<F>,
                "jobs::spawn_after: function must be callable without arguments");
  return {};
}
template <class F>
  requires(!std::invocable<std::decay_t<F>&>)
JobHandle spawn_after(Counter&, std::size_t, F&&) {
  static_assert(detail::kNever<F>,
                "jobs::spawn_after: function must be callable without arguments");
  return {};
}
template <class When, class F>
  requires(!std::invocable<std::decay_t<F>&>)
JobHandle spawn_at(const When&, F&&) {
  static_assert(detail::kNever<F>, "jobs::spawn_at: function must be callable without arguments");
  return {};
}
JOBS_REFUSE_OTHER_CALLS(spawn_after,
                        "takes handles of jobs, a Counter or a DependencyCount; for a delay, write "
                        "spawn_at(std::chrono::steady_clock::now() + delay, function)")
JOBS_REFUSE_OTHER_CALLS(spawn_at,
                        "takes a point in time, such as std::chrono::steady_clock::now() + "
                        "std::chrono::milliseconds(5), then a function")
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
