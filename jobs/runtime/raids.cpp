// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/raids.hpp"

#include <cstdlib>
#include <string_view>

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Owners that fork answer in nanoseconds; one that takes longer computes.
constexpr os::Nanoseconds kAnswerWithin = 20'000;
// A raid costs each thread that runs up to 7 us in a virtual machine, 1 us in a real one.
constexpr os::Nanoseconds kRaidEvery = 50'000;

// Anything else but nothing has been refused (base/environment.hpp).
bool is_eager() noexcept {
  const char* const text = secure_getenv("JOBS_RAID");
  return text != nullptr && std::string_view(text) == "eager";
}

}  // namespace

Raids::Raids() noexcept : eager_(is_eager()) {}

bool Raids::may_begin(os::Nanoseconds asked, os::Nanoseconds now) noexcept {
  if (eager_) return true;
  if (now - asked < kAnswerWithin) return false;
  os::Nanoseconds next = next_.load(std::memory_order_relaxed);
  return now >= next && next_.compare_exchange_strong(next, now + kRaidEvery, std::memory_order_relaxed);
}

}  // namespace jobs::inline JOBS_ABI::detail
