// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::ConditionVariable, a wait for a condition that a jobs::Mutex protects.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/cond_var_queue.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
class ConditionWait;
}  // namespace detail

/// Waits for a condition that a jobs::Mutex protects.
///
/// Corresponds to `std::condition_variable`. A notified waiter moves to the queue of its mutex at
/// once, in place of a wake-up that finds the mutex locked. Waiters are notified in FIFO order, and
/// they queue for the mutex in that order.
///
/// The notifier may own the mutex or not, but it must have owned the mutex since it changed the
/// condition.
///
/// Destruction while a fiber waits aborts. After notify_all() the condition variable may be
/// destroyed before the waiters have returned, with one exception: a waiter with a deadline may
/// access it once more.
///
/// @snippet sync.cpp condition_variable
class JOBS_EXPORT ConditionVariable {
 public:
  /// Creates a condition variable without waiters.
  ///
  /// @complexity O(1), no allocation
  ConditionVariable() noexcept = default;

  /// Destroys the condition variable; aborts while a fiber waits.
  ///
  /// @complexity O(1)
  ~ConditionVariable() {
    if (list_.state().word != 0) [[unlikely]]
      destroyed_in_use();
  }

  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  /// Unlocks the mutex, suspends the fiber until notified, and locks again.
  ///
  /// An external thread is parked instead. The wait does not end without a notification, but the
  /// condition may be false again by then: prefer the form with a predicate.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  JOBS_TAG_OF_MODE void wait(std::unique_lock<Mutex>& lock) { wait_before(lock, os::kNever, {}); }

  /// Waits until `condition()` returns true.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param condition  predicate, called with the lock owned
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate condition) {
    while (!condition()) wait(lock);
  }

  /// Waits as wait() does, until a point in time.
  ///
  /// The call locks the mutex again in any case, however long that takes.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @returns true if the waiter was notified, false if the deadline came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock,
                                const std::chrono::time_point<Clock, Duration>& when) {
    return wait_before(lock, detail::to_deadline(when), {});
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// The call locks the mutex again in any case, however long that takes.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param timeout  duration; zero or less makes the call a poll
  /// @returns true if the waiter was notified, false if the deadline came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock,
                              const std::chrono::duration<Rep, Period>& timeout) {
    return wait_before(lock, detail::to_deadline(timeout), {});
  }

  /// Waits until `condition()` returns true or a point in time.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param condition  predicate, called with the lock owned
  /// @returns the latest result of `condition()`
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration, class Predicate>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock,
                                const std::chrono::time_point<Clock, Duration>& when,
                                Predicate condition) {
    return wait_before(lock, detail::to_deadline(when), {}, condition);
  }

  /// Waits until `condition()` returns true, for a duration from the call on.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param condition  predicate, called with the lock owned
  /// @returns the latest result of `condition()`
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period, class Predicate>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock,
                              const std::chrono::duration<Rep, Period>& timeout,
                              Predicate condition) {
    return wait_before(lock, detail::to_deadline(timeout), {}, condition);
  }

  /// Waits until `condition()` returns true or a stop is requested.
  ///
  /// The order of the parameters is that of `std::condition_variable_any`.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param stop  a stop request through this token ends the wait
  /// @param condition  predicate, called with the lock owned
  /// @returns the latest result of `condition()`
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Predicate>
  [[nodiscard]] bool wait(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                          Predicate condition) {
    return wait_before(lock, os::kNever, stop, condition);
  }

  /// Waits until `condition()` returns true, a point in time or a stop request.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param stop  a stop request through this token ends the wait
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param condition  predicate, called with the lock owned
  /// @returns the latest result of `condition()`
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration, class Predicate>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                                const std::chrono::time_point<Clock, Duration>& when,
                                Predicate condition) {
    return wait_before(lock, detail::to_deadline(when), stop, condition);
  }

  /// Waits until `condition()` returns true, a duration has passed or a stop.
  ///
  /// @param lock  owned lock of the mutex; a lock that is not owned aborts
  /// @param stop  a stop request through this token ends the wait
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param condition  predicate, called with the lock owned
  /// @returns the latest result of `condition()`
  /// @throws the exception of `condition`, with the lock owned
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, with the lock owned, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period, class Predicate>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                              const std::chrono::duration<Rep, Period>& timeout,
                              Predicate condition) {
    return wait_before(lock, detail::to_deadline(timeout), stop, condition);
  }

  /// Notifies the oldest waiter.
  ///
  /// @complexity O(1), no allocation; one load if no fiber waits
  /// @thread_safety any thread or fiber, concurrently
  void notify_one() noexcept { list_.notify_one(); }

  /// Notifies every waiter in FIFO order.
  ///
  /// @complexity O(waiters), no allocation; one load if no fiber waits
  /// @thread_safety any thread or fiber, concurrently
  void notify_all() noexcept { list_.notify_all(); }

 private:
  friend class detail::ConditionWait;

  bool wait_before(std::unique_lock<Mutex>& lock, os::Nanoseconds deadline,
                   const std::stop_token& stop);

  template <class Predicate>
  bool wait_before(std::unique_lock<Mutex>& lock, os::Nanoseconds deadline,
                   const std::stop_token& stop, Predicate& condition) {
    while (!condition()) {
      if (!wait_before(lock, deadline, stop)) return condition();
    }
    return true;
  }

  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::CondVarQueue list_;
};

}  // namespace jobs::inline JOBS_ABI
