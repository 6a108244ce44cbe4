// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CheckedSpinLock: a spin lock that knows its owner and counts itself in the thread state, so that
// a wait under it aborts. The public jobs::SpinLock is one; the list of a channel has one, because
// it moves items of the user under the lock. Any thread may lock it; the owner unlocks it.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace spin_lock_owner_order {
// For checks: each thread compares the value with its own identity only, as in lock_owner.hpp.
JOBS_ORDER(kOwner, relaxed);
}  // namespace spin_lock_owner_order

class JOBS_EXPORT CheckedSpinLock {
 public:
  CheckedSpinLock() noexcept = default;
  CheckedSpinLock(const CheckedSpinLock&) = delete;
  CheckedSpinLock& operator=(const CheckedSpinLock&) = delete;

  // One exchange if the lock is free. Aborts if the caller owns the lock.
  void lock() noexcept {
    if (!lock_.try_lock()) [[unlikely]]
      lock_contended();
    locked();
  }
  [[nodiscard]] bool try_lock() noexcept {
    if (!lock_.try_lock()) return false;
    locked();
    return true;
  }
  // One store. The next owner may destroy the lock at once. Aborts if the caller does not own the
  // lock.
  void unlock() noexcept {
    ThreadState& thread = this_thread();
    if (owner_.load(spin_lock_owner_order::kOwner) != &thread) [[unlikely]]
      not_the_owner();
    owner_.store(nullptr, spin_lock_owner_order::kOwner);
    --thread.spin_locks;
    lock_.unlock();
  }

 private:
  void locked() noexcept {
    ThreadState& thread = this_thread();
    owner_.store(&thread, spin_lock_owner_order::kOwner);
    ++thread.spin_locks;
  }
  JOBS_NOINLINE void lock_contended() noexcept;
  [[noreturn]] JOBS_COLD void not_the_owner() const noexcept;

  RawSpinLock lock_;
  Atomic<const void*> owner_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
