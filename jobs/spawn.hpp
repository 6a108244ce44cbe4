// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// spawn() starts jobs; yield() and maybe_yield() let other jobs run.
#pragma once

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI {

JOBS_OF_MODE_BEGIN

/// Starts a job that calls function() once; the counter tracks its end.
///
/// `counter.add()` happens before spawn() returns, and `counter.done()` after the job has ended.
/// The closure is moved or copied into the job and destroyed before `done()`. An exception of the
/// function goes to the counter: Counter::wait() rethrows the first one.
///
/// A job spawns onto its own worker, and other workers steal from there. An unbound thread spawns
/// onto the default scheduler. The order of jobs is unspecified. A job may wait on anything in
/// jobs/sync. It must not block its thread in the operating system for long; blocking() is for such
/// calls.
///
/// @snippet scheduling.cpp spawn
///
/// @param counter  tracks the job; it must live until its `wait()` has returned
/// @param function  callable without arguments
/// @throws std::bad_alloc if there is no memory; nothing was spawned, and the counter is unchanged
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned, and the counter is
///   unchanged
/// @complexity O(1); in the steady state a worker allocates nothing for closures of up to 96 bytes
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
void spawn(Counter& counter, F&& function) {
  detail::spawn_detached(&counter, std::forward<F>(function));
}

/// Starts a detached job that calls function() once.
///
/// No call waits for a detached job. If `main` returns first, the job may never run. An exception
/// of the function goes to SchedulerOptions::on_unhandled; without this hook the program ends by
/// std::terminate.
///
/// @param function  callable without arguments
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @complexity O(1); in the steady state a worker allocates nothing for closures of up to 96 bytes
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
void spawn(F&& function) {
  detail::spawn_detached(nullptr, std::forward<F>(function));
}

/// Starts a tracked job on given workers, or with a priority.
///
/// @snippet scheduling.cpp spawn_options
///
/// @param counter  tracks the job; it must live until its `wait()` has returned
/// @param function  callable without arguments
/// @param options  place and priority of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned, and the counter is unchanged
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned, and the counter is
///   unchanged
/// @throws Error(kBadArgument) if the scheduler of the calling thread does not have the place, or
/// if
///   the priority is no value of jobs::Priority; nothing was spawned
/// @complexity as spawn() without options, and one atomic operation on a cache line that other
///   workers use, too
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
void spawn(Counter& counter, F&& function, SpawnOptions options) {
  detail::spawn_with_options(&counter, std::forward<F>(function), options);
}
/// Starts a detached job on given workers, or with a priority.
///
/// @param function  callable without arguments
/// @param options  place and priority of the job
/// @throws std::bad_alloc if there is no memory; nothing was spawned
/// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
/// @throws Error(kBadArgument) if the scheduler of the calling thread does not have the place, or
/// if
///   the priority is no value of jobs::Priority; nothing was spawned
/// @complexity as spawn() without options, and one atomic operation on a cache line that other
///   workers use, too
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<std::decay_t<F>&>
void spawn(F&& function, SpawnOptions options) {
  detail::spawn_with_options(nullptr, std::forward<F>(function), options);
}

JOBS_OF_MODE_END

/// Lets other ready fibers of this worker run, and a new job every few turns.
///
/// The caller stays ready. On a thread that is not a worker, the call yields the thread to the
/// operating system.
///
/// @throws Error(kNoStack) if the worker needs one more fiber and cannot have it; see @ref waiting
/// @complexity one switch per ready fiber that runs before the caller
/// @thread_safety any thread or fiber
JOBS_EXPORT void yield();

/// Yields if the caller has used up its time slice.
///
/// The function is for long computations on a worker that other jobs need, too. The slice is
/// SchedulerOptions::time_slice; it begins with the first call after a wait or yield.
/// Stats::overruns counts the calls that yielded.
///
/// @returns true if the call has yielded; always false on a thread that is not a worker
/// @throws Error(kNoStack) if the worker needs one more fiber and cannot have it; see @ref waiting
/// @complexity one clock reading, unless it yields
/// @thread_safety any thread or fiber
JOBS_EXPORT bool maybe_yield();

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
JOBS_REFUSE_OTHER_CALLS(spawn,
                        "takes (function) or (counter, function), then options such as {.priority "
                        "= jobs::Priority::kHigh}; a lambda captures other values")
template <class F, class... Rest>
  requires(!std::invocable<std::decay_t<F>&> && !std::same_as<std::remove_cvref_t<F>, Counter>)
auto spawn(F&&, Rest&&...) {
  static_assert(detail::kNever<F>, "jobs::spawn: function must be callable without arguments");
}
template <class F, class... Rest>
  requires(!std::invocable<std::decay_t<F>&>)
auto spawn(Counter&, F&&, Rest&&...) {
  static_assert(detail::kNever<F>, "jobs::spawn: function must be callable without arguments");
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
