// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/fiber_host.hpp"

#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

void FiberHost::suspended_under_spin_lock() const noexcept {
  breach("SpinLock", nullptr, "held by a fiber or thread that would have to wait");
}

void wake(Wakeup& wakeup) noexcept {
  FiberCore& fiber = *wakeup.fiber;
  FiberHost& home = *fiber.home;  // read before the wake-up goes out: fiber and frame may be gone at once
  if (&home == this_thread().host) {
    home.deliver(fiber, wakeup.signal);
  } else {
    home.post(wakeup);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
