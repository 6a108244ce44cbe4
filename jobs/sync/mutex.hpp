// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Mutex, mutual exclusion between fibers and threads.
#pragma once

#include <chrono>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/core/lock_holder.hpp"
#include "jobs/sync/core/lock_owner.hpp"
#include "jobs/sync/core/semaphore_core.hpp"

namespace jobs::inline JOBS_ABI {

/// Mutual exclusion that suspends the fiber, not the worker.
///
/// Meets *Lockable* and *TimedLockable* of the standard, so `std::scoped_lock` and
/// `std::unique_lock` accept it. The fiber or external thread that locks the mutex is its lock
/// owner, and only the lock owner may unlock it. The lock owner may wait, for any object, while it
/// owns the mutex. The mutex is not recursive.
///
/// Waiters are served in FIFO order, but a running fiber may overtake a waiter that has been woken
/// and has not run yet. A waiter is overtaken at most once: after that, the next unlock() hands the
/// mutex to it.
///
/// A critical or high Fiber that waits lifts the lock owner for one turn (Priority).
///
/// These violations of the contract abort the program: unlock() by another fiber or thread, lock()
/// by the lock owner, and destruction while the mutex is locked or a fiber waits.
///
/// @snippet sync.cpp mutex
class JOBS_CAPABILITY("mutex") JOBS_EXPORT Mutex {
 public:
  /// Creates an unlocked mutex.
  ///
  /// @complexity O(1), no allocation
  Mutex() noexcept = default;

  /// Destroys the mutex; aborts while it is locked or a fiber waits.
  ///
  /// @complexity O(1)
  ~Mutex() {
    if (core_.state().word != detail::WaitState::of(1).word) [[unlikely]]
      destroyed_in_use();
  }

  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// Locks the mutex; suspends the calling fiber while another owner has it.
  ///
  /// If the lock owner runs on another worker, the call retries for about 20 us before it suspends.
  /// An external thread is parked instead.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one compare-and-swap if the mutex is free
  /// @thread_safety any thread or fiber, concurrently
  void lock() JOBS_ACQUIRE() {
    if (!core_.try_acquire()) [[unlikely]]
      lock_contended();
    owner_.set_self();
  }

  /// Locks the mutex as lock() does, until a stop is requested.
  ///
  /// A free mutex is locked even if the stop was requested before.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller owns the mutex, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool lock(const std::stop_token& stop) JOBS_TRY_ACQUIRE(true) {
    return lock_before(os::kNever, stop);
  }

  /// Locks the mutex if it is free.
  ///
  /// @returns true if the caller has locked the mutex; false if it has an owner, which may be the
  /// caller
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!core_.try_acquire()) return false;
    owner_.set_self();
    return true;
  }

  /// Locks the mutex as lock() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller owns the mutex, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when,
                                    const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE(true) {
    return lock_before(detail::to_deadline(when), stop);
  }

  /// Locks the mutex as try_lock_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller owns the mutex, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout,
                                  const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE(true) {
    return lock_before(detail::to_deadline(timeout), stop);
  }

  /// Unlocks the mutex and wakes the oldest waiter.
  ///
  /// The next owner may destroy the mutex, even if unlock() has not returned yet. A call by another
  /// fiber or thread than the lock owner aborts.
  ///
  /// @complexity O(1), no allocation; one compare-and-swap if no fiber waits
  /// @thread_safety the lock owner only
  void unlock() noexcept JOBS_RELEASE() {
    if (!owner_.is_self()) [[unlikely]]
      not_the_owner();
    owner_.clear();
    core_.release();
  }

 private:
  friend class ConditionVariable;
  friend class TaskLock;
  friend const void* detail::owner_of(const detail::WaitSite& site) noexcept;

  JOBS_NOINLINE void lock_contended();
  bool lock_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_TRY_ACQUIRE(true);
  [[noreturn]] JOBS_COLD void locked_twice() const noexcept;
  [[noreturn]] JOBS_COLD void not_the_owner() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::SemaphoreCore core_{1};
  detail::LockOwner owner_;
};

}  // namespace jobs::inline JOBS_ABI
