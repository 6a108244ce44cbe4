// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Semaphore, a number of permits.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/semaphore_core.hpp"

namespace jobs::inline JOBS_ABI {

/// A number of permits that callers acquire and release.
///
/// Corresponds to `std::counting_semaphore`. A semaphore limits concurrency, and it counts signals
/// that add up. A caller may release a permit that it has not acquired.
///
/// The order is strictly FIFO: release() hands each permit to the oldest waiter, and no permit is
/// free while a fiber waits. The new owner of a permit sees the effects that precede its release.
///
/// Destruction while a fiber waits aborts. The caller that acquires the last permit may destroy the
/// semaphore, even if release() has not returned yet.
///
/// @snippet sync.cpp semaphore
class JOBS_EXPORT Semaphore {
 public:
  /// Returns the largest number of free permits; more abort.
  ///
  /// @returns 2^60
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  static constexpr std::size_t max() noexcept { return kMaxCount; }

  /// Creates a semaphore with `count` free permits.
  ///
  /// @param count  number of permits, at most max(); a larger number aborts
  /// @complexity O(1), no allocation
  explicit Semaphore(std::size_t count) noexcept : core_(count) {
    if (count > kMaxCount) [[unlikely]]
      too_many();
  }

  /// Destroys the semaphore; aborts while a fiber waits.
  ///
  /// @complexity O(1)
  ~Semaphore() {
    if (core_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  /// Acquires a permit; suspends the calling fiber until one is handed to it.
  ///
  /// An external thread is parked instead.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one compare-and-swap if a permit is free
  /// @thread_safety any thread or fiber, concurrently
  void acquire() {
    if (!core_.try_acquire()) core_.acquire({});
  }

  /// Acquires a permit if one is free.
  ///
  /// Unlike the function of `std::counting_semaphore` it never fails spuriously.
  ///
  /// @returns true if the caller has acquired a permit
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_acquire() noexcept { return core_.try_acquire(); }

  /// Acquires a permit as acquire() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller has acquired a permit, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool acquire(const std::stop_token& stop) {
    return acquire_before(os::kNever, stop);
  }

  /// Acquires a permit as acquire() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller has acquired a permit, false if the deadline or the stop came
  /// first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                                       const std::stop_token& stop = {}) {
    return acquire_before(detail::to_deadline(when), stop);
  }

  /// Acquires a permit as try_acquire_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the caller has acquired a permit, false if the deadline or the stop came
  /// first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& timeout,
                                     const std::stop_token& stop = {}) {
    return acquire_before(detail::to_deadline(timeout), stop);
  }

  /// Releases `n` permits: first to the oldest waiters, the remaining ones are free.
  ///
  /// @param n  number of permits; a total above max() aborts
  /// @complexity O(waiters woken), no allocation; one compare-and-swap if no fiber waits
  /// @thread_safety any thread or fiber, concurrently
  void release(std::size_t n = 1) noexcept {
    if (n > kMaxCount || core_.state().payload() > kMaxCount - n) [[unlikely]]
      too_many();
    core_.release_fifo(n);
  }

  class OnAcquire;

  /// Makes an alternative for select() that acquires a permit.
  ///
  /// A selection that completes another alternative acquires none. It waits in FIFO order among the
  /// callers of acquire().
  ///
  /// @snippet sync.cpp select_any_wait
  ///
  /// @returns the alternative, for one call of select(); it refers to this semaphore
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnAcquire on_acquire() noexcept;

 private:
  // Far below the capacity of the word, so that concurrent releases cannot wrap it past the check.
  static constexpr std::size_t kMaxCount = std::size_t{1} << 60;

  bool acquire_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void too_many() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::SemaphoreCore core_;
};

/// Alternative of select(): the acquisition of a permit.
///
/// Semaphore::on_acquire() makes it.
class JOBS_EXPORT Semaphore::OnAcquire final : public detail::Alternative {
 private:
  friend class Semaphore;
  explicit OnAcquire(Semaphore& semaphore) noexcept : core_(semaphore.core_) {}

  bool try_now() noexcept override;
  bool link() noexcept override;
  bool unlink_self() noexcept override { return core_.unlink(*this); }
  detail::WaitSite site() const noexcept override { return {WaitKind::kSemaphore, &core_}; }

  detail::SemaphoreCore& core_;
};

inline Semaphore::OnAcquire Semaphore::on_acquire() noexcept { return OnAcquire(*this); }

}  // namespace jobs::inline JOBS_ABI
