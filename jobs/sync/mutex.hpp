// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Mutex: mutual exclusion that suspends the fiber, not the worker. Lockable and TimedLockable as in std, so std::scoped_lock and
// std::unique_lock work with it.
#pragma once

#include <chrono>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/owner.hpp"
#include "jobs/sync/permits.hpp"

namespace jobs::inline JOBS_ABI {

// Whoever locks unlocks: the same fiber, or the same external thread. It may wait in between, for anything. Broken contracts
// abort with one line that says which: unlock() by another, lock() by the holder, destruction while locked or waited on.
//
// Not recursive. No strict order among waiters: they are served first come, first served, but a running fiber may be faster than
// one that has to wake up first. It can overtake each waiter until that has woken up and tried, not a second time.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_CAPABILITY("mutex") JOBS_EXPORT Mutex {
 public:
  // Unlocked. O(1), allocates nothing, here and everywhere below.
  Mutex() noexcept = default;
  ~Mutex() {
    if (permits_.state().word != detail::WaitState::of(1).word) [[unlikely]]
      destroyed_in_use();
  }

  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // One compare-and-swap if it is free; otherwise tries for some 20 us, if the holder is not of the same worker, and then
  // suspends the fiber (an external thread: parks it).
  void lock() JOBS_ACQUIRE() {
    if (!permits_.try_acquire()) [[unlikely]]
      lock_contended();
    owner_.set_self();
  }

  // As lock(), but gives up when a stop is requested. post: false: not locked. A free mutex is locked in any case.
  [[nodiscard]] bool lock(const std::stop_token& stop) JOBS_TRY_ACQUIRE(true) { return lock_before(os::kNever, stop); }

  // post: false: somebody holds it, perhaps the caller.
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!permits_.try_acquire()) return false;
    owner_.set_self();
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

  // One compare-and-swap if nobody waits; otherwise also wakes the first waiter. Whoever locks next may destroy the mutex, even
  // if unlock() has not returned yet.
  void unlock() noexcept JOBS_RELEASE() {
    if (!owner_.is_self()) [[unlikely]]
      not_the_holder();
    owner_.clear();
    permits_.release();
  }

 private:
  friend class ConditionVariable;
  friend const void* detail::holder_of(const detail::WaitSite& site) noexcept;

  JOBS_NOINLINE void lock_contended();
  bool lock_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_TRY_ACQUIRE(true);
  [[noreturn]] JOBS_COLD void locked_twice() const noexcept;
  [[noreturn]] JOBS_COLD void not_the_holder() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::Permits permits_{1};
  detail::Owner owner_;
};

}  // namespace jobs::inline JOBS_ABI
