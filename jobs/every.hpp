// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// every() calls a function once per interval, from the calling fiber.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/fiber.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

// Returns the first multiple of `interval` after `start` that lies after `now`, rounded up.
JOBS_EXPORT os::Nanoseconds next_period(os::Nanoseconds start, long double interval,
                                        os::Nanoseconds now);

// The points in time of a periodic timer.
class JOBS_EXPORT Periods {
 public:
  // Throws Error(kBadArgument) unless `nanoseconds` > 0.
  explicit Periods(long double nanoseconds);

  // Waits for the next point that has not passed; returns false if `stopped` came first.
  bool wait(Event& stopped);

 private:
  const os::Nanoseconds start_;
  const long double interval_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls a function once per interval, until a stop is requested.
///
/// The calls begin at start + interval, start + 2 * interval, and so on, where start is the time of
/// the call. A late call does not delay the next one. If a call takes longer than the interval, the
/// missed calls are left out. Between calls the calling fiber is suspended, or an external thread
/// parked.
///
/// The loop returns when a stop is requested: at once if it waits, after the call if the function
/// runs. It also returns if the function returns false. An exception of the function ends the loop.
/// A stop of the calling Fiber ends it by Cancelled.
///
/// @snippet fibers.cpp every
///
/// @param interval  time between two calls; more than 0
/// @param function  callable without arguments; it may return a bool, where false ends the loop
/// @param stop  token that ends the loop
/// @throws exception that the function throws
/// @throws Cancelled if a stop of the calling Fiber is requested
/// @throws Error(kBadArgument) if the interval is 0, negative or NaN
/// @throws Error(kNoStack) see @ref waiting
/// @complexity one timed wait per interval
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period, class F>
  requires std::invocable<F&>
void every(const std::chrono::duration<Rep, Period>& interval, F&& function,
           std::stop_token stop = {}) {
  detail::Periods periods(detail::RealNanoseconds(interval).count());
  Event stopped;
  const auto signal = [&stopped] { stopped.signal(); };
  const detail::StopCallback<decltype(signal)> on_stop(std::move(stop), signal);
  while (periods.wait(stopped)) {
    if constexpr (std::same_as<std::invoke_result_t<F&>, bool>) {
      if (!std::invoke(function)) return;
    } else {
      std::invoke(function);
    }
  }
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {
template <class>
inline constexpr bool kIsDuration = false;
template <class Rep, class Period>
inline constexpr bool kIsDuration<std::chrono::duration<Rep, Period>> = true;
}  // namespace detail

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class Interval, class F, class... Rest>
  requires(!detail::kIsDuration<Interval> || !std::invocable<F&>)
auto every(const Interval&, F&&, Rest&&...) {
  static_assert(
      detail::kIsDuration<Interval>,
      "jobs::every: the interval must be a duration, such as std::chrono::milliseconds(5)");
  static_assert(!detail::kIsDuration<Interval> || std::invocable<F&>,
                "jobs::every: function must be callable without arguments");
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
