// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/shared_spin_lock.hpp"

#include "jobs/base/chaos.hpp"
#include "jobs/base/spin.hpp"

namespace jobs::inline JOBS_ABI {

namespace order = detail::shared_spin_lock_order;

void SharedSpinLock::lock_contended() noexcept {
  check_not_the_writer("lock() by the writer");
  // step 1
  for (detail::Spin spin; (word_.fetch_or(kWriter, order::kLock) & kWriter) != 0;) {
    do spin.once();
    while ((word_.load(order::kGuess) & kWriter) != 0);
  }
  detail::chaos::inject_delay();
  // step 2
  for (detail::Spin spin; word_.load(order::kSeeReaders) != kWriter;) spin.once();
  locked();
}

void SharedSpinLock::lock_shared_contended() noexcept {
  check_not_the_writer("lock_shared() by the writer");
  for (detail::Spin spin; !try_lock_shared();) {
    if ((word_.load(order::kGuess) & kWriter) != 0) spin.once();
  }
}

void SharedSpinLock::check_not_the_writer(const char* rule) const noexcept {
  if (writer_.load(order::kGuess) == &detail::this_thread())
    detail::contract_violation("SharedSpinLock", this, rule);
}

void SharedSpinLock::not_the_writer() const noexcept {
  detail::contract_violation("SharedSpinLock", this, "unlock() by a thread that is not the writer");
}

void SharedSpinLock::not_a_reader() const noexcept {
  detail::contract_violation("SharedSpinLock", this, "unlock_shared() without a reader");
}

}  // namespace jobs::inline JOBS_ABI
