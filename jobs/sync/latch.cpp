// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/latch.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

bool Latch::count_down(std::size_t n) noexcept {
  if (n == 0) return false;
  const detail::WaitState before = core_.subtract(n);
  if (n > before.payload()) detail::contract_violation("Latch", this, "count_down() below zero");
  const bool is_last = n == before.payload();
  if (is_last) core_.opened(before);
  return is_last;
}

bool Latch::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopEvent stop_event(stop);
  return core_.wait({.deadline = deadline, .stop = stop_event.get()}, WaitKind::kLatch) ==
         detail::WaitStatus::kOk;
}

void Latch::too_many() const noexcept {
  detail::contract_violation("Latch", this, "more than 2^60 steps");
}
void Latch::destroyed_in_use() const noexcept {
  detail::contract_violation("Latch", this, "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
