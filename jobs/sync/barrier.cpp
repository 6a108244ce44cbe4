// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/barrier.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI::detail {

BarrierCore::BarrierCore(std::size_t expected) noexcept : word_(expected), expected_(expected) {
  if (expected > PhaseWord::kMaxArrivals) breach("Barrier", this, "more than 2^32 - 1 arrivals expected");
}

BarrierCore::~BarrierCore() {
  if (word_.state().flags() != 0) breach("Barrier", this, "destroyed while waited on");
}

BarrierCore::Arrived BarrierCore::arrive(std::size_t n) noexcept {
  if (n == 0 || n > PhaseWord::kMaxArrivals) breach("Barrier", this, "arrive() of none, or of more than 2^32 - 1");
  const WaitState before = word_.arrive(n);
  if (PhaseWord::left_of(before) < n) breach("Barrier", this, "more arrivals than expected in one phase");
  return {.phase = PhaseWord::phase_of(before), .is_last = PhaseWord::left_of(before) == n};
}

bool BarrierCore::wait_before(std::uint64_t phase, os::Nanoseconds deadline, const std::stop_token& stop) {
  StopGate stop_gate(stop);
  return word_.wait(phase, {.deadline = deadline, .stop = stop_gate.get()}) == Outcome::kOk;
}

}  // namespace jobs::inline JOBS_ABI::detail
