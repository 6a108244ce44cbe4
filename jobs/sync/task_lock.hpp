// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::TaskLock, a Mutex that a task owns.
#pragma once

#include <utility>

#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
class ConditionWait;
class LimitedMutexWait;
class MutexWait;
}  // namespace detail

/// Owns a Mutex for a task, and unlocks it at the end of its life.
///
/// `co_await mutex` in a Task returns the object. It belongs to the task and not to a fiber, so the
/// task may keep it over a `co_await`, and any worker may destroy it.
///
/// @snippet coroutines.cpp mutex
class [[nodiscard]] TaskLock {
 public:
  /// Takes over the mutex of another object, which owns none then.
  ///
  /// @param other  source
  TaskLock(TaskLock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
  /// Unlocks the own mutex, if there is one, and takes over that of another object.
  ///
  /// @param other  source
  /// @returns *this
  TaskLock& operator=(TaskLock other) noexcept {
    std::swap(mutex_, other.mutex_);
    return *this;
  }
  /// Unlocks the mutex.
  ~TaskLock() { unlock(); }

  /// Unlocks the mutex now; has no effect if the object owns none.
  ///
  /// @complexity as Mutex::unlock()
  /// @thread_safety only the task that owns the object
  void unlock() noexcept {
    if (mutex_ != nullptr) std::exchange(mutex_, nullptr)->core_.release();
  }
  /// Tells whether the object owns a mutex.
  ///
  /// @returns false after unlock(), after a move, and if a limit has ended the wait for the mutex
  [[nodiscard]] bool owns_lock() const noexcept { return mutex_ != nullptr; }

 private:
  friend class detail::ConditionWait;
  friend class detail::LimitedMutexWait;
  friend class detail::MutexWait;
  explicit TaskLock(Mutex* mutex) noexcept : mutex_(mutex) {}
  static detail::SemaphoreCore& core_of(Mutex& mutex) noexcept { return mutex.core_; }
  static const detail::LockOwner& owner_of(Mutex& mutex) noexcept { return mutex.owner_; }

  Mutex* mutex_;
};

}  // namespace jobs::inline JOBS_ABI
