// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Semaphore: a number of permits to take and to give back; std::counting_semaphore for fibers. For limits (so many at a time) and
// for signals that add up.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/permits.hpp"

namespace jobs::inline JOBS_ABI {

// All members may be called by jobs, fibers and external threads alike; who releases need not have acquired. Whoever acquires sees
// what was done before the release. Destruction while somebody waits aborts. Whoever acquires the last permit may destroy the
// semaphore, even if release() has not returned yet.
//
// First come, first served, without exception: a released permit is handed to whoever has waited longest, and none is free while
// somebody waits.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_EXPORT Semaphore {
 public:
  // More permits at once abort.
  static constexpr std::size_t max() noexcept { return kMaxCount; }

  // `count` permits are free. O(1), allocates nothing, here and everywhere below.
  explicit Semaphore(std::size_t count) noexcept : permits_(count) {
    if (count > kMaxCount) [[unlikely]]
      too_many();
  }
  ~Semaphore() {
    if (permits_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // Takes a permit: one compare-and-swap if one is free; otherwise suspends the fiber (an external thread: parks it).
  void acquire() {
    if (!permits_.try_acquire()) permits_.acquire({});
  }

  // post: false: none was free. Never without a reason, unlike std::counting_semaphore.
  [[nodiscard]] bool try_acquire() noexcept { return permits_.try_acquire(); }

  // As acquire(), but gives up when a stop is requested. post: false: nothing was taken.
  [[nodiscard]] bool acquire(const std::stop_token& stop) { return acquire_before(os::kNever, stop); }

  // As acquire(), but gives up at `when`, or when a stop is requested. post: false: nothing was taken. A moment in the past only
  // tries. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                                       const std::stop_token& stop = {}) {
    return acquire_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& timeout,
                                     const std::stop_token& stop = {}) {
    return acquire_before(detail::to_deadline(timeout), stop);
  }

  // Gives `n` permits: to those who have waited longest, the rest is free. One compare-and-swap if nobody waits. O(waiters woken).
  void release(std::size_t n = 1) noexcept {
    if (n > kMaxCount || permits_.state().payload() > kMaxCount - n) [[unlikely]]
      too_many();
    permits_.hand_over(n);
  }

 private:
  // Far below what the word can hold, so that concurrent releases cannot wrap it past the check.
  static constexpr std::size_t kMaxCount = std::size_t{1} << 60;

  bool acquire_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void too_many() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::Permits permits_;
};

}  // namespace jobs::inline JOBS_ABI
