// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/checked_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

void CheckedSpinLock::lock_contended() noexcept {
  if (holder_.load(holder_order::kHolder) == &this_thread())
    breach("SpinLock", this, "lock() by the fiber or thread that holds it");
  lock_.lock();
}

void CheckedSpinLock::not_the_holder() const noexcept {
  breach("SpinLock", this, "unlock() by a fiber or thread that does not hold it");
}

}  // namespace jobs::inline JOBS_ABI::detail
