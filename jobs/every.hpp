// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// every(): calls a function again and again, once in each interval, from the calling fiber.
//
//   jobs::Fiber<> saver([&] { jobs::every(30s, [&] { document.save(); }); });  // until the Fiber is asked to stop
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

// The first multiple of `interval` after `start` that lies after `now`, rounded up.
JOBS_EXPORT os::Nanoseconds next_period(os::Nanoseconds start, long double interval, os::Nanoseconds now);

// The moments of a periodic timer.
class JOBS_EXPORT Periods {
 public:
  // Throws Error(kBadArgument) unless `nanoseconds` > 0.
  explicit Periods(long double nanoseconds);

  // Waits for the next one that has not passed; false if `stopped` came first.
  bool wait(Event& stopped);

 private:
  const os::Nanoseconds start_;
  const long double interval_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Calls function() at start + interval, start + 2 * interval, and so on, where start is now: being late once does not make the next
// one late. If a call takes longer than the interval, what was missed is left out. The calling fiber is suspended between calls,
// an external thread parks. Returns when `stop` is requested, at once if it waits and after the call if it is in one; or when
// `function` returns bool, and it is false. What it throws ends the loop; so does a stop of the calling Fiber, by Cancelled.
// Throws Error(kBadArgument) for an interval that is zero, negative or NaN, Error(kNoStack).
template <class Rep, class Period, class F>
requires std::invocable<F&>
void every(const std::chrono::duration<Rep, Period>& interval, F&& function, std::stop_token stop = {}) {
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

// Wrong calls (jobs/base/wrong_call.hpp).
template <class Interval, class F, class... Rest>
requires(!detail::kIsDuration<Interval> || !std::invocable<F&>) auto every(const Interval&, F&&, Rest&&...) {
  static_assert(detail::kIsDuration<Interval>,
                "jobs::every: the interval must be a duration, such as std::chrono::milliseconds(5)");
  static_assert(!detail::kIsDuration<Interval> || std::invocable<F&>,
                "jobs::every: function must be callable without arguments");
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
