// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/latch.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

void Latch::count_down(std::size_t n) noexcept {
  if (n == 0) return;
  const detail::WaitState before = gate_.subtract(n);
  if (n > before.payload()) detail::breach("Latch", this, "count_down() below zero");
  if (n == before.payload()) gate_.opened(before);
}

bool Latch::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopGate stop_gate(stop);
  return gate_.wait({.deadline = deadline, .stop = stop_gate.get()}, WaitKind::kLatch) == detail::Outcome::kOk;
}

void Latch::too_many() const noexcept { detail::breach("Latch", this, "more than 2^60 steps"); }
void Latch::destroyed_in_use() const noexcept { detail::breach("Latch", this, "destroyed while waited on"); }

}  // namespace jobs::inline JOBS_ABI
