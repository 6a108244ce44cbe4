// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::SpinLock, for sections of a few instructions.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/spin_lock.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::holder_order {
// For checks: each thread compares the value with its own identity only, as in owner.hpp.
JOBS_ORDER(kHolder, relaxed);  // for checks: everyone compares with itself only, as in owner.hpp
}  // namespace detail::holder_order

/// Mutual exclusion for sections of a few instructions that never wait.
///
/// Meets *Lockable* of the standard. A waiter computes in a loop on its worker; it gives up its
/// time slice if the lock owner seems to have lost its core. There is no order among waiters. Use a
/// jobs::Mutex for longer sections.
///
/// The section must not wait: the remaining waiters would spin for the whole wait, and a waiter on
/// the same worker would spin for ever. Therefore a wait that has to suspend or park under a spin
/// lock aborts, in every build. lock() by the lock owner aborts, too, and so does unlock() by
/// another thread.
///
/// @snippet sync.cpp spin_lock
class JOBS_CAPABILITY("spin_lock") JOBS_EXPORT SpinLock {
 public:
  /// Creates an unlocked spin lock.
  ///
  /// @complexity O(1), no allocation
  SpinLock() noexcept = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// Locks; spins while another thread owns the lock.
  ///
  /// A call by the lock owner aborts.
  ///
  /// @complexity one exchange if the lock is free
  /// @thread_safety any thread or fiber, concurrently
  void lock() noexcept JOBS_ACQUIRE() {
    if (!lock_.try_lock()) [[unlikely]]
      lock_contended();
    locked();
  }

  /// Locks if the lock is free.
  ///
  /// @returns true if the caller has locked
  /// @complexity O(1), one exchange
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!lock_.try_lock()) return false;
    locked();
    return true;
  }

  /// Unlocks.
  ///
  /// The next owner may destroy the lock at once. A call by another thread than the lock owner
  /// aborts.
  ///
  /// @complexity O(1), one store
  /// @thread_safety the lock owner only
  void unlock() noexcept JOBS_RELEASE() {
    detail::ThreadState& thread = detail::this_thread();
    if (holder_.load(detail::holder_order::kHolder) != &thread) [[unlikely]]
      not_the_holder();
    holder_.store(nullptr, detail::holder_order::kHolder);
    --thread.spin_locks;
    lock_.unlock();
  }

 private:
  void locked() noexcept {
    detail::ThreadState& thread = detail::this_thread();
    holder_.store(&thread, detail::holder_order::kHolder);
    ++thread.spin_locks;
  }
  JOBS_NOINLINE void lock_contended() noexcept;
  [[noreturn]] JOBS_COLD void not_the_holder() const noexcept;

  detail::SpinLock lock_;
  detail::Atomic<const void*> holder_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI
