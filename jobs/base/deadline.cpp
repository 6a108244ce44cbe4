// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Deadlines: the conversion of nanoseconds.
#include "jobs/base/deadline.hpp"

#include <cmath>

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

os::Nanoseconds deadline_after(os::Nanoseconds from, long double nanoseconds) {
  if (std::isnan(nanoseconds))
    throw Error(ErrorCode::kBadArgument, "jobs: a timeout is not a number (NaN)");
  if (nanoseconds <= 0) return kPoll;
  const long double at = static_cast<long double>(from) + std::ceil(nanoseconds);
  if (at >= static_cast<long double>(os::kNever)) return os::kNever;
  return static_cast<os::Nanoseconds>(at);
}

}  // namespace jobs::inline JOBS_ABI::detail
