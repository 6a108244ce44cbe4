// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConditionVariable: waits for a condition that a Mutex protects.
//
//   std::unique_lock lock(mutex);                          std::scoped_lock lock(mutex);
//   changed.wait(lock, [&] { return !queue.empty(); });    queue.push(item); changed.notify_one();
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/notify_list.hpp"

namespace jobs::inline JOBS_ABI {

// All members may be called by jobs, fibers and external threads alike. A notified waiter is queued for its mutex at once instead
// of being woken to find it locked. The notifier may hold the mutex or not, but must have held it since it changed the condition.
//
// Destruction while somebody waits aborts. After notify_all() it may be destroyed before the waiters have returned, except for
// those that wait with a deadline: these may look at it once more.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_EXPORT ConditionVariable {
 public:
  // O(1), allocates nothing, here and everywhere below; notify_all(): O(waiters).
  ConditionVariable() noexcept = default;
  ~ConditionVariable() {
    if (list_.state().word != 0) [[unlikely]]
      destroyed_in_use();
  }

  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  // Unlocks the mutex and suspends the fiber (an external thread: parks it) until notified; then locks it again. Aborts if `lock`
  // is not held. Does not wake without a reason, but the condition may be gone by then: prefer the form with a predicate.
  JOBS_TAG_OF_MODE void wait(std::unique_lock<Mutex>& lock) { wait_before(lock, os::kNever, {}); }

  // Until `condition()`, which is called under the lock. Throws what it throws, with the lock held.
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate condition) {
    while (!condition()) wait(lock);
  }

  // As wait(), but gives up at `when`; the mutex is locked again in any case, however long that takes. post: false: was not
  // notified. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock, const std::chrono::time_point<Clock, Duration>& when) {
    return wait_before(lock, detail::to_deadline(when), {});
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock, const std::chrono::duration<Rep, Period>& timeout) {
    return wait_before(lock, detail::to_deadline(timeout), {});
  }

  // post: what `condition()` returned last.
  template <class Clock, class Duration, class Predicate>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock, const std::chrono::time_point<Clock, Duration>& when,
                                Predicate condition) {
    return wait_before(lock, detail::to_deadline(when), {}, condition);
  }
  template <class Rep, class Period, class Predicate>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock, const std::chrono::duration<Rep, Period>& timeout,
                              Predicate condition) {
    return wait_before(lock, detail::to_deadline(timeout), {}, condition);
  }

  // The same, and gives up when a stop is requested. The arguments stand as in std::condition_variable_any. post: what
  // `condition()` returned last.
  template <class Predicate>
  [[nodiscard]] bool wait(std::unique_lock<Mutex>& lock, const std::stop_token& stop, Predicate condition) {
    return wait_before(lock, os::kNever, stop, condition);
  }
  template <class Clock, class Duration, class Predicate>
  [[nodiscard]] bool wait_until(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                                const std::chrono::time_point<Clock, Duration>& when, Predicate condition) {
    return wait_before(lock, detail::to_deadline(when), stop, condition);
  }
  template <class Rep, class Period, class Predicate>
  [[nodiscard]] bool wait_for(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                              const std::chrono::duration<Rep, Period>& timeout, Predicate condition) {
    return wait_before(lock, detail::to_deadline(timeout), stop, condition);
  }

  // Lets the waiter that came first, or every waiter, go on. One load if nobody waits.
  void notify_one() noexcept { list_.notify_one(); }
  void notify_all() noexcept { list_.notify_all(); }

 private:
  bool wait_before(std::unique_lock<Mutex>& lock, os::Nanoseconds deadline, const std::stop_token& stop);

  template <class Predicate>
  bool wait_before(std::unique_lock<Mutex>& lock, os::Nanoseconds deadline, const std::stop_token& stop,
                   Predicate& condition) {
    while (!condition()) {
      if (!wait_before(lock, deadline, stop)) return condition();
    }
    return true;
  }

  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::NotifyList list_;
};

}  // namespace jobs::inline JOBS_ABI
