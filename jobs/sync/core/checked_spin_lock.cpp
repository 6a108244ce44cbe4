// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/checked_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

void CheckedSpinLock::lock_contended() noexcept {
  if (owner_.load(spin_lock_owner_order::kOwner) == &this_thread())
    contract_violation("SpinLock", this, "lock() by the fiber or thread that owns it");
  lock_.lock();
}

void CheckedSpinLock::not_the_owner() const noexcept {
  contract_violation("SpinLock", this, "unlock() by a fiber or thread that does not own it");
}

}  // namespace jobs::inline JOBS_ABI::detail
