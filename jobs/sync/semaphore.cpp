// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/semaphore.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

bool Semaphore::acquire_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopEvent stop_event(stop);
  return core_.acquire({.deadline = deadline, .stop = stop_event.get()}) == detail::WaitStatus::kOk;
}

void Semaphore::too_many() const noexcept {
  detail::contract_violation("Semaphore", this, "more than 2^60 permits");
}
void Semaphore::destroyed_in_use() const noexcept {
  detail::contract_violation("Semaphore", this, "destroyed while waited on");
}

bool Semaphore::OnAcquire::try_now() noexcept { return core_.try_acquire(); }

bool Semaphore::OnAcquire::link() noexcept {
  if (core_.link(*this)) return true;
  // Acquires first and claims second, because a claim cannot be undone. A permit that is not needed
  // goes to the next waiter.
  if (!selection->claim(*this)) core_.release_fifo(1);
  return false;
}

}  // namespace jobs::inline JOBS_ABI
