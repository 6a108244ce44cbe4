// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/spin_lock.hpp"

namespace jobs::inline JOBS_ABI {

void SpinLock::lock_contended() noexcept {
  if (holder_.load(detail::holder_order::kHolder) == &detail::this_thread())
    detail::breach("SpinLock", this, "lock() by the fiber or thread that holds it");
  lock_.lock();
}

void SpinLock::not_the_holder() const noexcept {
  detail::breach("SpinLock", this, "unlock() by a fiber or thread that does not hold it");
}

}  // namespace jobs::inline JOBS_ABI
