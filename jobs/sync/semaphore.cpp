// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/semaphore.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

bool Semaphore::acquire_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopGate stop_gate(stop);
  return permits_.acquire({.deadline = deadline, .stop = stop_gate.get()}) == detail::Outcome::kOk;
}

void Semaphore::too_many() const noexcept { detail::breach("Semaphore", this, "more than 2^60 permits"); }
void Semaphore::destroyed_in_use() const noexcept { detail::breach("Semaphore", this, "destroyed while waited on"); }

}  // namespace jobs::inline JOBS_ABI
