// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberHost: the rare cases.
#include "jobs/fiber/fiber_host.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/fiber/ready_order.hpp"

namespace jobs::inline JOBS_ABI::detail {

void FiberHost::insert_ready(FiberCore& fiber) noexcept {
  insert_ready_by_rank.load(std::memory_order_relaxed)(
      {first_ready_, last_ready_, advanced_, overtakings_, advances_middle_}, fiber);
}

constinit std::atomic<WaitObserver*> the_wait_observer{nullptr};

void FiberHost::deliver_rare(FiberCore& fiber, unsigned signal) noexcept {
  if (fiber.suspended == FiberCore::kAwake) return;
  if (WaitObserver* const observer = wait_observer()) observer->on_ready(fiber, signal);
  fiber.suspended = FiberCore::kSuspended;
  deliver(fiber, signal);
}

void FiberHost::suspended_under_spin_lock() const noexcept {
  contract_violation("SpinLock", nullptr, "owned by a fiber or thread that would have to wait");
}

}  // namespace jobs::inline JOBS_ABI::detail
