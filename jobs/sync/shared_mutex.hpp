// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedMutex: one writer or many readers; std::shared_timed_mutex for fibers, so std::shared_lock, std::unique_lock and
// std::scoped_lock work with it. Readers share one word: where sections are short and readers many, a Mutex is as fast.
#pragma once

#include <chrono>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/owner.hpp"
#include "jobs/sync/shared_permits.hpp"

namespace jobs::inline JOBS_ABI {

// Whoever locks unlocks: the same fiber, or the same external thread (of readers this is not checked). It may wait in between, for
// anything. Broken contracts abort with one line that says which: unlock() by another, unlock_shared() of what no reader holds,
// lock() or lock_shared() by the writer, destruction while locked or waited on.
//
// First come, first served, without exception; readers that stand side by side go in together. A reader queues up behind a writer
// that waits, so neither starves. For that reason a reader must not lock_shared() again: a writer in between would wait for the
// first lock, and the second for the writer. Not recursive, no upgrade.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_CAPABILITY("shared_mutex") JOBS_EXPORT SharedMutex {
 public:
  // Unlocked. O(1), allocates nothing, here and everywhere below.
  SharedMutex() noexcept = default;
  ~SharedMutex() {
    if (permits_.state().word != 0) [[unlikely]]
      destroyed_in_use();
  }

  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // --- for writers: alone ---

  // One compare-and-swap if it is free; otherwise suspends the fiber (an external thread: parks it).
  void lock() JOBS_ACQUIRE() {
    if (!permits_.try_acquire(Kind::kExclusive)) [[unlikely]]
      acquire_contended(Kind::kExclusive);
    writer_.set_self();
  }

  // As lock(), but gives up when a stop is requested. post: false: not locked.
  [[nodiscard]] bool lock(const std::stop_token& stop) JOBS_TRY_ACQUIRE(true) { return lock_before(os::kNever, stop); }

  // post: false: somebody holds it, perhaps the caller.
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!permits_.try_acquire(Kind::kExclusive)) return false;
    writer_.set_self();
    return true;
  }

  // As lock(), but gives up at `when`, or when a stop is requested. post: false: not locked. A moment in the past only tries.
  // Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when,
                                    const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE(true) {
    return lock_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout, const std::stop_token& stop = {})
      JOBS_TRY_ACQUIRE(true) {
    return lock_before(detail::to_deadline(timeout), stop);
  }

  // One compare-and-swap if nobody waits; otherwise hands the lock to the first who does, O(readers let in). Whoever locks next may
  // destroy the mutex, even if unlock() has not returned yet.
  void unlock() noexcept JOBS_RELEASE() {
    if (!writer_.is_self()) [[unlikely]]
      not_the_writer();
    writer_.clear();
    permits_.release(Kind::kExclusive);
  }

  // --- for readers: with other readers. As above in everything else. ---

  void lock_shared() JOBS_ACQUIRE_SHARED() {
    if (!permits_.try_acquire(Kind::kShared)) [[unlikely]]
      acquire_contended(Kind::kShared);
  }
  [[nodiscard]] bool lock_shared(const std::stop_token& stop) JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(os::kNever, stop);
  }
  // post: false: somebody writes, or waits.
  [[nodiscard]] bool try_lock_shared() noexcept JOBS_TRY_ACQUIRE_SHARED(true) {
    return permits_.try_acquire(Kind::kShared);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when,
                                           const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& timeout,
                                         const std::stop_token& stop = {}) JOBS_TRY_ACQUIRE_SHARED(true) {
    return lock_shared_before(detail::to_deadline(timeout), stop);
  }
  void unlock_shared() noexcept JOBS_RELEASE_SHARED() {
    const detail::WaitState state = permits_.state();
    if (state.payload() == 0 || permits_.is_exclusive(state)) [[unlikely]]
      no_reader();
    permits_.release(Kind::kShared);
  }

 private:
  friend const void* detail::holder_of(const detail::WaitSite& site) noexcept;
  using Kind = detail::SharedPermits::Kind;

  JOBS_NOINLINE void acquire_contended(Kind kind);
  bool acquire_before(Kind kind, os::Nanoseconds deadline, const std::stop_token& stop);
  bool lock_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_TRY_ACQUIRE(true);
  bool lock_shared_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_TRY_ACQUIRE_SHARED(true);
  void check_not_the_writer() const noexcept;
  [[noreturn]] JOBS_COLD void not_the_writer() const noexcept;
  [[noreturn]] JOBS_COLD void no_reader() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::SharedPermits permits_;
  detail::Owner writer_;
};

}  // namespace jobs::inline JOBS_ABI
