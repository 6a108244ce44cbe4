// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::TaskReaderLock and jobs::TaskWriterLock, a SharedMutex that a task owns.
#pragma once

#include <utility>

#include "jobs/sync/shared_mutex.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
template <class Lock>
class SharedMutexWait;
}  // namespace detail

/// Owns a SharedMutex for a task that writes, and unlocks it at the end of its life.
///
/// `co_await mutex` in a Task returns the object. It belongs to the task and not to a fiber, so the
/// task may keep it over a `co_await`, and any worker may destroy it.
///
/// @snippet coroutines.cpp shared_lock
class [[nodiscard]] TaskWriterLock {
 public:
  /// Takes over the mutex of another object, which owns none then.
  ///
  /// @param other  source
  TaskWriterLock(TaskWriterLock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
  /// Unlocks the own mutex, if there is one, and takes over that of another object.
  ///
  /// @param other  source
  /// @returns *this
  TaskWriterLock& operator=(TaskWriterLock other) noexcept {
    std::swap(mutex_, other.mutex_);
    return *this;
  }
  /// Unlocks the mutex.
  ~TaskWriterLock() { unlock(); }

  /// Unlocks the mutex now; has no effect if the object owns none.
  ///
  /// @complexity as SharedMutex::unlock()
  /// @thread_safety only the task that owns the object
  void unlock() noexcept {
    if (mutex_ != nullptr) core_of(*std::exchange(mutex_, nullptr)).release(kKind);
  }
  /// Tells whether the object owns a mutex.
  ///
  /// @returns false after unlock(), after a move, and if a limit has ended the wait for the mutex
  [[nodiscard]] bool owns_lock() const noexcept { return mutex_ != nullptr; }

 private:
  friend class detail::SharedMutexWait<TaskWriterLock>;
  static constexpr auto kKind = detail::RwLockCore::Kind::kExclusive;
  explicit TaskWriterLock(SharedMutex* mutex) noexcept : mutex_(mutex) {}
  static detail::RwLockCore& core_of(SharedMutex& mutex) noexcept { return mutex.core_; }

  SharedMutex* mutex_;
};

/// Owns a SharedMutex for a task that reads, and unlocks it at the end of its life.
///
/// `co_await this_task::lock_shared(mutex)` in a Task returns the object. It belongs to the task
/// and not to a fiber, so the task may keep it over a `co_await`, and any worker may destroy it.
///
/// @snippet coroutines.cpp shared_lock
class [[nodiscard]] TaskReaderLock {
 public:
  /// Takes over the mutex of another object, which owns none then.
  ///
  /// @param other  source
  TaskReaderLock(TaskReaderLock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
  /// Unlocks the own mutex, if there is one, and takes over that of another object.
  ///
  /// @param other  source
  /// @returns *this
  TaskReaderLock& operator=(TaskReaderLock other) noexcept {
    std::swap(mutex_, other.mutex_);
    return *this;
  }
  /// Unlocks the mutex.
  ~TaskReaderLock() { unlock(); }

  /// Unlocks the mutex now; has no effect if the object owns none.
  ///
  /// @complexity as SharedMutex::unlock_shared()
  /// @thread_safety only the task that owns the object
  void unlock() noexcept {
    if (mutex_ != nullptr) core_of(*std::exchange(mutex_, nullptr)).release(kKind);
  }
  /// Tells whether the object owns a mutex.
  ///
  /// @returns false after unlock(), after a move, and if a limit has ended the wait for the mutex
  [[nodiscard]] bool owns_lock() const noexcept { return mutex_ != nullptr; }

 private:
  friend class detail::SharedMutexWait<TaskReaderLock>;
  static constexpr auto kKind = detail::RwLockCore::Kind::kShared;
  explicit TaskReaderLock(SharedMutex* mutex) noexcept : mutex_(mutex) {}
  static detail::RwLockCore& core_of(SharedMutex& mutex) noexcept { return mutex.core_; }

  SharedMutex* mutex_;
};

}  // namespace jobs::inline JOBS_ABI
