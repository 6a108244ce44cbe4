// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// this_fiber: about the fiber that runs the caller. What only a Fiber can do says so; the rest works in plain jobs and on external
// threads as well.
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
// post: false: not scheduled in time.
JOBS_EXPORT bool suspend_until(const TypeIdentity& type, os::Nanoseconds deadline, std::unique_ptr<ResumeValue>& value);

template <class T>
std::conditional_t<std::is_void_v<T>, bool, std::optional<T>> suspend_before(os::Nanoseconds deadline) {
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

namespace this_fiber {

// 0 on a thread that runs no fiber of ours. A plain job has the id of the fiber that happens to run it.
JOBS_EXPORT FiberId id() noexcept;
// Changes the name of the enclosing Fiber, in messages, dumps and debuggers. Throws Error(kBadArgument) outside of a Fiber.
JOBS_EXPORT void set_name(std::string name);
// The token of the enclosing Fiber; one that can never be stopped in plain jobs and on other threads.
JOBS_EXPORT std::stop_token stop_token();
// For long computations: throws what a wait would throw now, if the Fiber is to stop, was sent an exception, or is past a time
// limit (jobs/cancel.hpp). Otherwise does nothing.
JOBS_EXPORT void check_cancelled();

// Suspends the fiber, or parks an external thread, for at least so long. 0 and less: lets others run once, as yield(). Throws
// Error(kBadArgument) for NaN, Error(kNoStack), Cancelled.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::sleep_until(detail::to_deadline(duration));
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  detail::sleep_until(detail::to_deadline(time));
}

// Suspends the Fiber until somebody schedules it (FiberRef::schedule), and returns the value that came with it; suspend<void>()
// takes any. Returns at once if that was done since the last time. Throws what schedule_exception() brought, Cancelled,
// Error(kBadArgument) outside of a Fiber or if the value is of another type, Error(kNoStack).
template <class T = void>
T suspend() {
  if constexpr (std::is_void_v<T>) {
    detail::suspend_before<T>(os::kNever);
  } else {
    return *detail::suspend_before<T>(os::kNever);
  }
}
// As suspend(), but gives up: returns false, or for a T nothing, if it was not scheduled in time.
template <class T = void, class Rep, class Period>
[[nodiscard]] auto suspend_for(const std::chrono::duration<Rep, Period>& timeout) {
  return detail::suspend_before<T>(detail::to_deadline(timeout));
}
template <class T = void, class Clock, class Duration>
[[nodiscard]] auto suspend_until(const std::chrono::time_point<Clock, Duration>& when) {
  return detail::suspend_before<T>(detail::to_deadline(when));
}

}  // namespace this_fiber
}  // namespace jobs::inline JOBS_ABI
