// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Time limits for code that waits, and a shield for clean-up.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

struct FiberCore;

// While it lives, waits of the current fiber or thread throw Cancelled(this) from `deadline` on.
class JOBS_EXPORT TimeLimit {
 public:
  explicit TimeLimit(os::Nanoseconds deadline);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // In a handler: tells whether the exception is the Cancelled of this limit.
  bool is_the_one_caught() const noexcept;

 private:
  const bool hosts_thread_;  // an external thread acts as a fiber meanwhile
  FiberCore* fiber_;
  os::Nanoseconds outer_limit_;
  const void* outer_scope_;
};

}  // namespace detail

/// Calls f with a time limit; throws Cancelled if it runs out.
///
/// The waits of the code itself observe the limit, like a requested stop
/// (FiberRef::request_stop()). After the limit, a wait that would suspend throws Cancelled, and so
/// does the current wait. A wait succeeds if its condition holds. Code that never waits is not
/// disturbed; it may call this_fiber::check_cancelled(). Limits nest, and the nearest one counts.
/// The limit does not apply to jobs that other workers run: spawned jobs, stolen children of
/// fork_join() and of loops. The code waits for its children nevertheless.
///
/// @snippet fibers.cpp cancel_after
///
/// @param timeout  time limit for the waits of f
/// @param f  callable without arguments
/// @returns result of f
/// @throws Cancelled if the limit has run out
/// @throws exception that f throws
/// @throws Error(kBadArgument) if the limit is NaN
/// @complexity O(1); no allocation, except for one on an external thread
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period, std::invocable F>
std::invoke_result_t<F> cancel_after(const std::chrono::duration<Rep, Period>& timeout, F&& f) {
  static_assert(detail::kHasExceptions<F>,
                "jobs::cancel_after needs exceptions: it ends waits by throwing Cancelled");
  const detail::TimeLimit limit(detail::to_deadline(timeout));
  return std::invoke(std::forward<F>(f));
}

/// Calls f with a time limit; returns a default if it runs out.
///
/// The limit is that of cancel_after(). The call returns `fallback` if this limit has cancelled f,
/// and f let Cancelled pass.
///
/// @snippet fibers.cpp move_on_after
///
/// @param timeout  time limit for the waits of f
/// @param f  callable without arguments
/// @param fallback  result if the limit has run out
/// @returns result of f, or `fallback`
/// @throws exception that f throws, other than the Cancelled of this limit
/// @throws Error(kBadArgument) if the limit is NaN
/// @complexity O(1); no allocation, except for one on an external thread
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period, std::invocable F, class T>
  requires std::convertible_to<T, std::invoke_result_t<F>>
std::invoke_result_t<F> move_on_after(const std::chrono::duration<Rep, Period>& timeout, F&& f,
                                      T&& fallback) {
  static_assert(detail::kHasExceptions<F>,
                "jobs::move_on_after needs exceptions: it ends waits by throwing Cancelled");
  const detail::TimeLimit limit(detail::to_deadline(timeout));
  JOBS_TRY { return std::invoke(std::forward<F>(f)); }
  JOBS_CATCH_ALL {
    if (!limit.is_the_one_caught()) JOBS_RETHROW;
  }
  return std::forward<T>(fallback);
}

/// Calls f, which returns nothing, with a time limit.
///
/// The limit is that of cancel_after().
///
/// @param timeout  time limit for the waits of f
/// @param f  callable without arguments
/// @returns true if f returned, false if this limit has cancelled it
/// @throws exception that f throws, other than the Cancelled of this limit
/// @throws Error(kBadArgument) if the limit is NaN
/// @complexity O(1); no allocation, except for one on an external thread
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period, std::invocable F>
  requires std::is_void_v<std::invoke_result_t<F>>
bool move_on_after(const std::chrono::duration<Rep, Period>& timeout, F&& f) {
  static_assert(detail::kHasExceptions<F>,
                "jobs::move_on_after needs exceptions: it ends waits by throwing Cancelled");
  const detail::TimeLimit limit(detail::to_deadline(timeout));
  JOBS_TRY {
    std::invoke(std::forward<F>(f));
    return true;
  }
  JOBS_CATCH_ALL {
    if (!limit.is_the_one_caught()) JOBS_RETHROW;
  }
  return false;
}

/// @cond internal: readable errors for wrong calls
JOBS_REFUSE_OTHER_CALLS(cancel_after,
                        "takes a duration, such as std::chrono::milliseconds(5), then a function "
                        "without arguments")
JOBS_REFUSE_OTHER_CALLS(move_on_after,
                        "takes a duration, such as std::chrono::milliseconds(5), a function "
                        "without arguments, and a fallback if the function returns a result")
/// @endcond

/// Protects the waits of the calling fiber from cancellation while it lives.
///
/// Neither a requested stop nor a scheduled exception ends a wait, nor a time limit that was set
/// outside of the shield. All of them take effect after the end of the shield. A shield is for
/// clean-up that waits, for example in destructors. Keep it short: the code that requested the stop
/// waits for the clean-up. The object must live on the stack of the fiber itself.
///
/// @snippet fibers.cpp cancel_shield
///
/// @complexity O(1), no allocation
/// @thread_safety the fiber that constructed it
class JOBS_EXPORT [[nodiscard]] CancelShield {
 public:
  /// Begins the protection of the calling fiber.
  CancelShield() noexcept;
  /// Ends the protection.
  ~CancelShield();
  CancelShield(const CancelShield&) = delete;
  CancelShield& operator=(const CancelShield&) = delete;

 private:
  detail::FiberCore* fiber_;  // null: this thread cannot be cancelled
  unsigned interrupts_ = 0;
  os::Nanoseconds limit_ = os::kNever;
};

}  // namespace jobs::inline JOBS_ABI
