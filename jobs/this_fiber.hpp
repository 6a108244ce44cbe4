// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Functions about the fiber that runs the caller.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/sync/core/fiber_signals.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

JOBS_EXPORT void sleep_until(os::Nanoseconds deadline);
// Returns false if the fiber was not scheduled in time.
JOBS_EXPORT bool suspend_until(const TypeIdentity& type, os::Nanoseconds deadline,
                               std::unique_ptr<ResumeValue>& value);

template <class T>
std::conditional_t<std::is_void_v<T>, bool, std::optional<T>> suspend_before(
    os::Nanoseconds deadline) {
  std::unique_ptr<ResumeValue> value;
  const bool scheduled = suspend_until(kTypeIdentity<T>, deadline, value);
  if constexpr (std::is_void_v<T>) {
    return scheduled;
  } else {
    if (!scheduled) return std::nullopt;
    return std::move(static_cast<TypedResumeValue<T>&>(*value).value);
  }
}

}  // namespace detail

/// Functions about the fiber that runs the caller.
///
/// A function that needs a Fiber says so. The other functions work in plain jobs and on external
/// threads, too.
///
/// @snippet fibers.cpp this_fiber
namespace this_fiber {

/// Returns the identifier of the running fiber.
///
/// @returns identifier; a plain job has the identifier of the fiber that happens to run it; 0 on a
///   thread that runs no fiber of this library
/// @complexity O(1)
/// @thread_safety any thread or fiber
JOBS_EXPORT FiberId id() noexcept;
/// Changes the name of the enclosing Fiber in messages, dumps and debuggers.
///
/// @param name  new name; empty for none
/// @throws Error(kBadArgument) outside of a Fiber
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1), one allocation
/// @thread_safety the fiber itself
JOBS_EXPORT void set_name(std::string name);
/// Returns the stop token of the enclosing Fiber.
///
/// @returns token; in plain jobs and on external threads a token that can never be stopped
/// @complexity O(1)
/// @thread_safety any thread or fiber
JOBS_EXPORT std::stop_token stop_token();
/// Throws the exception that a wait would throw, if the caller is cancelled.
///
/// The function is for long computations that never wait. It throws if a stop of the Fiber was
/// requested or an exception was scheduled for it. It also throws if a time limit has run out
/// (jobs/cancel.hpp). Otherwise it does nothing.
///
/// @throws Cancelled if a stop was requested or a time limit has run out
/// @throws exception of FiberRef::schedule_exception()
/// @complexity O(1); one clock reading inside of a time limit
/// @thread_safety any thread or fiber
JOBS_EXPORT void check_cancelled();

/// Suspends the fiber, or parks an external thread, for at least a given time.
///
/// @param duration  time to sleep; for 0 or less the call is one yield()
/// @throws Error(kBadArgument) for NaN
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::sleep_until(detail::to_deadline(duration));
}
/// Suspends the fiber, or parks an external thread, until a point in time.
///
/// @param time  point in time on any clock; for a past one the call is one yield()
/// @throws Error(kBadArgument) for NaN
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  detail::sleep_until(detail::to_deadline(time));
}

/// Suspends the Fiber until FiberRef::schedule() resumes it.
///
/// The call returns at once if the fiber was scheduled since its last suspension.
///
/// @tparam T  type of the value to wait for; `void` accepts any value and drops it
/// @returns value of FiberRef::schedule()
/// @throws exception of FiberRef::schedule_exception()
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kBadArgument) outside of a Fiber, or if the value has another type
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(1)
/// @thread_safety the fiber itself
template <class T = void>
T suspend() {
  if constexpr (std::is_void_v<T>) {
    detail::suspend_before<T>(os::kNever);
  } else {
    return *detail::suspend_before<T>(os::kNever);
  }
}
/// Suspends the Fiber for a limited time until FiberRef::schedule() resumes it.
///
/// @tparam T  type of the value to wait for; `void` accepts any value and drops it
/// @param timeout  longest time to wait; 0 or less makes the call a poll
/// @returns for `void`: true if the fiber was scheduled in time; for a T: the value, or an empty
///   std::optional
/// @throws exception of FiberRef::schedule_exception()
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kBadArgument) outside of a Fiber, if the value has another type, or for NaN
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(1), no allocation
/// @thread_safety the fiber itself
template <class T = void, class Rep, class Period>
[[nodiscard]] auto suspend_for(const std::chrono::duration<Rep, Period>& timeout) {
  return detail::suspend_before<T>(detail::to_deadline(timeout));
}
/// Suspends the Fiber until it is scheduled or a point in time has passed.
///
/// @tparam T  type of the value to wait for; `void` accepts any value and drops it
/// @param when  point in time on any clock; a past one makes the call a poll
/// @returns for `void`: true if the fiber was scheduled in time; for a T: the value, or an empty
///   std::optional
/// @throws exception of FiberRef::schedule_exception()
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kBadArgument) outside of a Fiber, if the value has another type, or for NaN
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(1), no allocation
/// @thread_safety the fiber itself
template <class T = void, class Clock, class Duration>
[[nodiscard]] auto suspend_until(const std::chrono::time_point<Clock, Duration>& when) {
  return detail::suspend_before<T>(detail::to_deadline(when));
}

}  // namespace this_fiber
}  // namespace jobs::inline JOBS_ABI
