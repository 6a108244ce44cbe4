// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Deadlines: conversion from std::chrono to the clock of the library. Any thread may call these
// functions.
//
// Every duration and time point of a user has a meaning. NaN is an error. A value of zero or less
// is a poll. A value beyond the range of the clock (292 years after boot, infinity) means never. In
// contrast, std::chrono::duration_cast turns NaN, infinity and 1e300 s into the same moment in the
// distant past.
#pragma once

#include <chrono>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A deadline that has passed already: check, but do not wait. The clock itself never returns it.
inline constexpr os::Nanoseconds kPoll = 0;

// Returns the moment `nanoseconds` after `from`, rounded up. Throws Error(kBadArgument) for NaN.
[[nodiscard]] JOBS_EXPORT os::Nanoseconds deadline_after(os::Nanoseconds from,
                                                         long double nanoseconds);

// In long double every count of every std::chrono type keeps its magnitude; integer conversions
// would overflow.
using RealNanoseconds = std::chrono::duration<long double, std::nano>;

// Returns the deadline at the end of a timeout. Throws Error(kBadArgument) for NaN.
template <class Rep, class Period>
[[nodiscard]] os::Nanoseconds to_deadline(const std::chrono::duration<Rep, Period>& timeout) {
  return deadline_after(os::now(), RealNanoseconds(timeout).count());
}

// Returns the deadline at a time point of any clock. Throws Error(kBadArgument) for NaN.
template <class Clock, class Duration>
[[nodiscard]] os::Nanoseconds to_deadline(const std::chrono::time_point<Clock, Duration>& when) {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    // steady_clock is the library's own clock.
    return deadline_after(0, RealNanoseconds(when.time_since_epoch()).count());
  } else {
    // Converts by the difference to the present of the clock, which is read first. A delay between
    // the two reads makes the deadline late, never early. If that clock jumps during the wait, the
    // deadline does not change.
    const auto present = RealNanoseconds(Clock::now().time_since_epoch());
    return deadline_after(os::now(), (RealNanoseconds(when.time_since_epoch()) - present).count());
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
