// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberHost: the abort of a wait under a spin lock.
#include "jobs/fiber/fiber_host.hpp"

#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

void FiberHost::suspended_under_spin_lock() const noexcept {
  contract_violation("SpinLock", nullptr, "owned by a fiber or thread that would have to wait");
}

}  // namespace jobs::inline JOBS_ABI::detail
