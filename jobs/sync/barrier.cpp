// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/barrier.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI::detail {

BarrierBase::BarrierBase(std::size_t expected) noexcept : core_(expected), expected_(expected) {
  if (expected > BarrierCore::kMaxArrivals)
    contract_violation("Barrier", this, "more than 2^32 - 1 arrivals expected");
}

BarrierBase::~BarrierBase() {
  if (core_.state().flags() != 0) contract_violation("Barrier", this, "destroyed while waited on");
}

BarrierBase::Arrived BarrierBase::arrive(std::size_t n) noexcept {
  if (n == 0 || n > BarrierCore::kMaxArrivals)
    contract_violation("Barrier", this, "arrive() of none, or of more than 2^32 - 1");
  const WaitState before = core_.arrive(n);
  if (BarrierCore::left_of(before) < n)
    contract_violation("Barrier", this, "more arrivals than expected in one phase");
  return {.phase = BarrierCore::phase_of(before), .is_last = BarrierCore::left_of(before) == n};
}

bool BarrierBase::wait_before(std::uint64_t phase, os::Nanoseconds deadline,
                              const std::stop_token& stop) {
  StopEvent stop_event(stop);
  return core_.wait(phase, {.deadline = deadline, .stop = stop_event.get()}) == WaitStatus::kOk;
}

}  // namespace jobs::inline JOBS_ABI::detail
