// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// The default scheduler: its object, its options, its end.
#pragma once

#include <chrono>

#include "jobs/base/config.hpp"
#include "jobs/base/deadline.hpp"

namespace jobs::inline JOBS_ABI {

class Scheduler;
struct SchedulerOptions;

/// Returns the default scheduler, for its figures, its description and its functions.
///
/// The scheduler starts if it does not run. Scheduler::shutdown() of it has the effect of
/// shutdown_default().
///
/// @snippet scheduling.cpp default_scheduler
///
/// @returns default scheduler; valid until the process ends or forks
/// @throws exception of starting the default scheduler
/// @complexity O(1) after the start
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT Scheduler& default_scheduler();

/// Sets the options of the default scheduler, before its first use.
///
/// Further calls before the first use replace the options. A value out of range makes the first use
/// throw Error(kBadArgument), as the constructor of Scheduler does; the options may then be
/// replaced. After a process fork, the default scheduler of the child starts with the same options.
///
/// @param options  workers, stacks, hooks and reports
/// @throws Error(kStarted) if the default scheduler runs already, or has run
/// @throws Error(kBadArgument) if SchedulerOptions::bind_caller or another mode than
///   SchedulerMode::kFibers is set: the first use may happen on any thread
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1), one allocation
/// @thread_safety any thread, concurrently
JOBS_EXPORT void set_default_options(SchedulerOptions options);

/// Shuts the default scheduler down: drains it and joins its threads.
///
/// The function is for hosts that unload the library. After the call, unbound threads get
/// Error(kStopped). The call has the rules of Scheduler::shutdown().
///
/// @complexity the time of the remaining jobs
/// @thread_safety any external thread, concurrently
JOBS_EXPORT void shutdown_default();

/// @cond internal
namespace detail {
JOBS_EXPORT bool shutdown_default_before(os::Nanoseconds deadline);
}
/// @endcond

/// Shuts the default scheduler down, until a point in time; see Scheduler::shutdown_until().
///
/// @param when  point in time on any clock; a past point makes the call a poll
/// @returns true if the workers have stopped, false if the deadline passed first
/// @throws Error(kBadArgument) if the time is NaN; the scheduler is unchanged
/// @complexity the time of the remaining jobs
/// @thread_safety any external thread, concurrently
template <class Clock, class Duration>
[[nodiscard]] bool shutdown_default_until(const std::chrono::time_point<Clock, Duration>& when) {
  return detail::shutdown_default_before(detail::to_deadline(when));
}
/// Shuts down as shutdown_default_until() does, for a duration from the call on.
///
/// @param timeout  duration; zero or less makes the call a poll
/// @returns true if the workers have stopped, false if the deadline passed first
/// @throws Error(kBadArgument) if the time is NaN; the scheduler is unchanged
/// @complexity the time of the remaining jobs
/// @thread_safety any external thread, concurrently
template <class Rep, class Period>
[[nodiscard]] bool shutdown_default_for(const std::chrono::duration<Rep, Period>& timeout) {
  return detail::shutdown_default_before(detail::to_deadline(timeout));
}

}  // namespace jobs::inline JOBS_ABI
