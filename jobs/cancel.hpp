// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ending waits early: cancel_after() and move_on_after() give a piece of code a time limit, CancelShield lets clean-up wait in peace.
//
//   const Reply reply = jobs::cancel_after(50ms, [&] { return ask(server); });           // throws Cancelled when it takes longer
//   const Reply reply = jobs::move_on_after(50ms, [&] { return ask(server); }, Reply{}); // goes on with the default
//
// A limit is noticed by the waits of the code itself, as a requested stop is (FiberRef::request_stop): a wait that would suspend
// after the limit throws Cancelled, and so does one that is under way. A wait that has got what it waits for succeeds. Code that
// never waits is not disturbed; it may call this_fiber::check_cancelled(). Limits nest; the nearest counts. Jobs that the code
// hands to others (spawn, stolen children of fork_join and of loops) are not limited, but the code waits for its children.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/exceptions.hpp"
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

  // In a handler: whether the exception is the Cancelled of this limit.
  bool is_the_one_caught() const noexcept;

 private:
  const bool hosts_thread_;  // an external thread plays a fiber meanwhile
  FiberCore* fiber_;
  os::Nanoseconds outer_limit_;
  const void* outer_scope_;
};

}  // namespace detail

// f(), whose waits throw Cancelled from `timeout` on; returns its result. Throws Error(kBadArgument) for NaN. O(1), no allocation
// but, on an external thread, one. Any thread.
template <class Rep, class Period, std::invocable F>
std::invoke_result_t<F> cancel_after(const std::chrono::duration<Rep, Period>& timeout, F&& f) {
  static_assert(detail::kHasExceptions<F>, "jobs::cancel_after needs exceptions: it ends waits by throwing Cancelled");
  const detail::TimeLimit limit(detail::to_deadline(timeout));
  return std::invoke(std::forward<F>(f));
}

// As cancel_after(), but if f was cancelled by this limit (and let Cancelled pass), returns `fallback` instead.
template <class Rep, class Period, std::invocable F, class T>
requires std::convertible_to<T, std::invoke_result_t<F>> std::invoke_result_t<F> move_on_after(
    const std::chrono::duration<Rep, Period>& timeout, F&& f, T&& fallback) {
  static_assert(detail::kHasExceptions<F>, "jobs::move_on_after needs exceptions: it ends waits by throwing Cancelled");
  const detail::TimeLimit limit(detail::to_deadline(timeout));
  JOBS_TRY { return std::invoke(std::forward<F>(f)); }
  JOBS_CATCH_ALL {
    if (!limit.is_the_one_caught()) JOBS_RETHROW;
  }
  return std::forward<T>(fallback);
}

// Without a result. post: false: f was cancelled by this limit.
template <class Rep, class Period, std::invocable F>
requires std::is_void_v<std::invoke_result_t<F>>
bool move_on_after(const std::chrono::duration<Rep, Period>& timeout, F&& f) {
  static_assert(detail::kHasExceptions<F>, "jobs::move_on_after needs exceptions: it ends waits by throwing Cancelled");
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

// While it lives, the waits of the calling fiber end neither by a requested stop, nor by a scheduled exception, nor by a time limit
// that was set outside of it; all of them come due after it. For clean-up that waits, in destructors for example. Keep it
// short: whoever asked for the stop waits. On the fiber's own stack only.
class JOBS_EXPORT [[nodiscard]] CancelShield {
 public:
  CancelShield() noexcept;
  ~CancelShield();
  CancelShield(const CancelShield&) = delete;
  CancelShield& operator=(const CancelShield&) = delete;

 private:
  detail::FiberCore* fiber_;  // null: nobody could cancel this thread
  unsigned interrupts_ = 0;
  os::Nanoseconds limit_ = os::kNever;
};

}  // namespace jobs::inline JOBS_ABI
