// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ForcedPublication: the environment variable, and the budget of the process.
#include "jobs/runtime/parking/forced_publication.hpp"

#include <string_view>

#include "jobs/base/environment.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// An owner that forks publishes its deque within nanoseconds; a slower owner computes.
constexpr os::Nanoseconds kPublishWithin = 20'000;

// base/environment.hpp has rejected every value except "eager" and the empty string.
bool is_eager() noexcept { return std::string_view(read_variable("JOBS_RAID")) == "eager"; }

}  // namespace

#if !defined(JOBS_SIMULATED)  // Each simulation has a budget of its own.
ForcedPublicationBudget& forced_publication_budget() noexcept {
  static constinit ForcedPublicationBudget budget;
  return budget;
}
#endif

ForcedPublication::ForcedPublication() noexcept
    : eager_(is_eager()), budget_(forced_publication_budget()) {}

bool ForcedPublication::may_force(os::Nanoseconds requested, os::Nanoseconds now) noexcept {
  if (eager_) return true;
  if (now - requested < kPublishWithin) return false;
  return budget_.take(now);
}

}  // namespace jobs::inline JOBS_ABI::detail
