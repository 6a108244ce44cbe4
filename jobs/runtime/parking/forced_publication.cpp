// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/parking/forced_publication.hpp"

#include <cstdlib>
#include <string_view>

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Owners that fork answer in nanoseconds; one that takes longer computes.
constexpr os::Nanoseconds kAnswerWithin = 20'000;

// Anything else but nothing has been refused (base/environment.hpp).
bool is_eager() noexcept {
  const char* const text = secure_getenv("JOBS_RAID");
  return text != nullptr && std::string_view(text) == "eager";
}

}  // namespace

#if !defined(JOBS_SIMULATED)  // each simulation has its own
RaidBudget& raid_budget() noexcept {
  static constinit RaidBudget budget;
  return budget;
}
#endif

Raids::Raids() noexcept : eager_(is_eager()), budget_(raid_budget()) {}

bool Raids::may_begin(os::Nanoseconds asked, os::Nanoseconds now) noexcept {
  if (eager_) return true;
  if (now - asked < kAnswerWithin) return false;
  return budget_.take(now);
}

}  // namespace jobs::inline JOBS_ABI::detail
