// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::SharedMutex, a reader-writer lock for fibers and threads.
#pragma once

#include <chrono>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/core/lock_holder.hpp"
#include "jobs/sync/core/lock_owner.hpp"
#include "jobs/sync/core/rw_lock_core.hpp"

namespace jobs::inline JOBS_ABI {

/// Reader-writer lock: one writer or any number of readers.
///
/// Corresponds to `std::shared_timed_mutex`, so `std::shared_lock`, `std::unique_lock` and
/// `std::scoped_lock` accept it. All readers modify one word: for short sections with many readers
/// a jobs::Mutex is as fast.
///
/// The fiber or external thread that locks the mutex unlocks it; for readers this is not checked.
/// The lock owner may wait, for any object, while it owns the mutex. The mutex is not recursive,
/// and a reader cannot become the writer.
///
/// The order is strictly FIFO, and adjacent readers of the queue enter together. A reader queues
/// behind a waiting writer, so neither side starves. Therefore a reader must not call lock_shared()
/// again: a writer between the two calls would wait for the first lock, and the second call would
/// wait for the writer.
///
/// These violations of the contract abort the program:
/// - unlock() by another fiber or thread;
/// - unlock_shared() without a reader;
/// - lock() or lock_shared() by the writer;
/// - destruction while the mutex is locked or a fiber waits.
///
/// @snippet sync.cpp shared_mutex
class JOBS_CAPABILITY("shared_mutex") JOBS_EXPORT SharedMutex {
 public:
  /// Creates an unlocked mutex.
  ///
  /// @complexity O(1), no allocation
  SharedMutex() noexcept = default;

  /// Destroys the mutex; aborts while it is locked or a fiber waits.
  ///
  /// @complexity O(1)
  ~SharedMutex() {
    if (core_.state().word != 0) [[unlikely]]
      destroyed_in_use();
  }

  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // --- writers: alone ---

  /// Locks the mutex for writing; suspends the calling fiber while it is locked.
  ///
  /// An external thread is parked instead.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one compare-and-swap if the mutex is free
  /// @thread_safety any thread or fiber, concurrently
  void lock() JOBS_ACQUIRE() {
    if (!core_.try_acquire(Kind::kExclusive)) [[unlikely]]
      acquire_contended(Kind::kExclusive);
    writer_.set_self();
  }

  /// Locks the mutex as lock() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller is the writer, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool lock(const std::stop_token& stop) JOBS_TRY_ACQUIRE(true) {
    return lock_before(os::kNever, stop);
  }

  /// Locks the mutex for writing if it is free.
  ///
  /// @returns true if the caller is the writer; false if the mutex has an owner, which may be the
  /// caller
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!core_.try_acquire(Kind::kExclusive)) return false;
    writer_.set_self();
    return true;
  }

  /// Locks the mutex as lock() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller is the writer, false if the deadline or the stop came first
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
  /// @returns true if the caller is the writer, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout,
                                  const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE(true) {
    return lock_before(detail::to_deadline(timeout), stop);
  }

  /// Ends the section of the writer and hands the mutex to the first waiters.
  ///
  /// The next owner may destroy the mutex, even if unlock() has not returned yet. A call by another
  /// fiber or thread than the writer aborts.
  ///
  /// @complexity O(1) if no fiber waits: one compare-and-swap; else O(readers that enter)
  /// @thread_safety the writer only
  void unlock() noexcept JOBS_RELEASE() {
    if (!writer_.is_self()) [[unlikely]]
      not_the_writer();
    writer_.clear();
    core_.release(Kind::kExclusive);
  }

  // --- readers: together with other readers ---

  /// Locks the mutex for reading; suspends the fiber behind writers.
  ///
  /// The call suspends while a writer owns the mutex or a fiber waits. An external thread is parked
  /// instead.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one compare-and-swap if the mutex admits a reader
  /// @thread_safety any thread or fiber, concurrently
  void lock_shared() JOBS_ACQUIRE_SHARED() {
    if (!core_.try_acquire(Kind::kShared)) [[unlikely]]
      acquire_contended(Kind::kShared);
  }

  /// Locks the mutex as lock_shared() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller is a reader, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool lock_shared(const std::stop_token& stop) JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(os::kNever, stop);
  }

  /// Locks the mutex for reading if it has no writer and no waiter.
  ///
  /// @returns true if the caller is a reader
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock_shared() noexcept JOBS_TRY_ACQUIRE_SHARED(true) {
    return core_.try_acquire(Kind::kShared);
  }

  /// Locks the mutex as lock_shared() does, until a time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller is a reader, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when,
                                           const std::stop_token& stop = {})
      JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(detail::to_deadline(when), stop);
  }

  /// Locks as try_lock_shared_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller is a reader, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& timeout,
                                         const std::stop_token& stop = {})
      JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(detail::to_deadline(timeout), stop);
  }

  /// Ends the section of a reader; the last reader hands the mutex to a writer.
  ///
  /// The next owner may destroy the mutex, even if unlock_shared() has not returned yet. A call
  /// without a reader aborts.
  ///
  /// @complexity O(1) if no fiber waits: one compare-and-swap; else O(readers that enter)
  /// @thread_safety readers only, concurrently
  void unlock_shared() noexcept JOBS_RELEASE_SHARED() {
    const detail::WaitState state = core_.state();
    if (state.payload() == 0 || core_.is_exclusive(state)) [[unlikely]]
      no_reader();
    core_.release(Kind::kShared);
  }

 private:
  friend class TaskReaderLock;
  friend class TaskWriterLock;
  friend const void* detail::owner_of(const detail::WaitSite& site) noexcept;
  using Kind = detail::RwLockCore::Kind;

  JOBS_NOINLINE void acquire_contended(Kind kind);
  bool acquire_before(Kind kind, os::Nanoseconds deadline, const std::stop_token& stop);
  bool lock_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_TRY_ACQUIRE(true);
  bool lock_shared_before(os::Nanoseconds deadline, const std::stop_token& stop)
      JOBS_TRY_ACQUIRE_SHARED(true);
  void check_not_the_writer() const noexcept;
  [[noreturn]] JOBS_COLD void not_the_writer() const noexcept;
  [[noreturn]] JOBS_COLD void no_reader() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::RwLockCore core_;
  detail::LockOwner writer_;
};

}  // namespace jobs::inline JOBS_ABI
