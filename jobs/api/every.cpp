// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The points in time of every().
#include "jobs/every.hpp"

#include <cmath>

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

os::Nanoseconds next_period(os::Nanoseconds start, long double interval, os::Nanoseconds now) {
  // Computed from the start each time, so that rounding errors do not add up.
  return deadline_after(
      start, (std::floor(static_cast<long double>(now - start) / interval) + 1) * interval);
}

Periods::Periods(long double nanoseconds) : start_(os::now()), interval_(nanoseconds) {
  if (!(nanoseconds > 0))
    throw Error(ErrorCode::kBadArgument, "every: the interval must be above zero");
}

bool Periods::wait(Event& stopped) {
  const os::Nanoseconds next = next_period(start_, interval_, os::now());
  return !stopped.wait_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(next)));
}

}  // namespace jobs::inline JOBS_ABI::detail
