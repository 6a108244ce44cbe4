// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// From std::chrono to the library's clock. Every duration and time point that a user may pass has a meaning here: NaN is an
// error, nothing or less is a poll, and what lies beyond the clock's range (292 years after boot, infinity) is never.
// std::chrono::duration_cast would turn NaN, infinity and 1e300 s into the same moment in the distant past.
#pragma once

#include <chrono>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A deadline that has passed already: look, but do not wait. The clock itself never shows it.
inline constexpr os::Nanoseconds kPoll = 0;

// The moment `nanoseconds` after `from`, rounded up. Throws Error(kBadArgument) for NaN.
[[nodiscard]] JOBS_EXPORT os::Nanoseconds deadline_after(os::Nanoseconds from, long double nanoseconds);

// In long double every count of every std::chrono type keeps its magnitude; integer conversions would overflow.
using RealNanoseconds = std::chrono::duration<long double, std::nano>;

template <class Rep, class Period>
[[nodiscard]] os::Nanoseconds to_deadline(const std::chrono::duration<Rep, Period>& timeout) {
  return deadline_after(os::now(), RealNanoseconds(timeout).count());
}

template <class Clock, class Duration>
[[nodiscard]] os::Nanoseconds to_deadline(const std::chrono::time_point<Clock, Duration>& when) {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return deadline_after(0, RealNanoseconds(when.time_since_epoch()).count());  // the library's own clock
  } else {
    // By the difference to the clock's present, read first: a delay in between makes the deadline late, never early. A jump of
    // that clock during the wait is not seen.
    const auto present = RealNanoseconds(Clock::now().time_since_epoch());
    return deadline_after(os::now(), (RealNanoseconds(when.time_since_epoch()) - present).count());
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
