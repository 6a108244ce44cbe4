// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::SpinLock, for sections of a few instructions.
#pragma once

#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/core/checked_spin_lock.hpp"

namespace jobs::inline JOBS_ABI {

/// Mutual exclusion for sections of a few instructions that never wait.
///
/// Meets *Lockable* of the standard. A waiter computes in a loop on its worker. If the lock owner
/// seems to have lost its core, the waiter yields its time slice, and then sleeps for 20 us to
/// 320 us at a time, so that an owner of lower priority runs. There is neither an order among
/// waiters nor priority inheritance. Use a jobs::Mutex for longer sections.
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
  void lock() noexcept JOBS_ACQUIRE() { lock_.lock(); }

  /// Locks if the lock is free.
  ///
  /// @returns true if the caller has locked
  /// @complexity O(1), one exchange
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) { return lock_.try_lock(); }

  /// Unlocks.
  ///
  /// The next owner may destroy the lock at once. A call by another thread than the lock owner
  /// aborts.
  ///
  /// @complexity O(1), one store
  /// @thread_safety the lock owner only
  void unlock() noexcept JOBS_RELEASE() { lock_.unlock(); }

 private:
  detail::CheckedSpinLock lock_;
};

}  // namespace jobs::inline JOBS_ABI
