// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Latch, a countdown that is used once.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/countdown_core.hpp"

namespace jobs::inline JOBS_ABI {

/// Lets waiters pass when a number of steps has been counted down.
///
/// The class corresponds to `std::latch`: a latch is used once. A jobs::Counter can grow again and
/// carries exceptions. A latch promises less, and therefore detects a surplus step.
///
/// A waiter that passes sees the effects that precede each count_down(). Waiters resume in FIFO
/// order.
///
/// Counting below zero aborts, and so does destruction while a fiber waits. The latch may be
/// destroyed as soon as wait() has returned to every waiter, even if the last count_down() has not
/// returned yet.
///
/// @snippet sync.cpp latch
class JOBS_EXPORT Latch {
 public:
  /// Returns the largest number of steps.
  ///
  /// @returns 2^60
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  static constexpr std::size_t max() noexcept { return kMaxCount; }

  /// Creates a latch with `expected` steps.
  ///
  /// @param expected  number of steps, at most max(), else the call aborts; a latch of 0 steps is
  /// open
  /// @complexity O(1), no allocation
  explicit Latch(std::size_t expected) noexcept : core_(expected) {
    if (expected > kMaxCount) [[unlikely]]
      too_many();
  }

  /// Destroys the latch; aborts while a fiber waits.
  ///
  /// @complexity O(1)
  ~Latch() {
    if (core_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  /// Reports that `n` steps are complete.
  ///
  /// The last step wakes all waiters in FIFO order.
  ///
  /// @param n  number of steps; more than are left aborts
  /// @returns true if the call completed the last step. The latch may be destroyed by then.
  /// @complexity O(1), one atomic subtraction; the last step takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  bool count_down(std::size_t n = 1) noexcept;

  /// Checks whether every step is complete.
  ///
  /// Unlike the function of `std::latch` it never fails spuriously.
  ///
  /// @returns true if no step is left
  /// @complexity O(1), one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_wait() const noexcept { return core_.is_open(); }

  /// Suspends the calling fiber until no step is left.
  ///
  /// An external thread is parked instead.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void wait() {
    if (!core_.is_open()) core_.wait({}, WaitKind::kLatch);
  }

  /// Waits as wait() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if no step is left, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if no step is left, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if no step is left, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  /// Counts `n` steps down and suspends the calling fiber until no step is left.
  ///
  /// If the wait throws, the steps count nevertheless.
  ///
  /// @param n  number of steps; more than are left aborts
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; the last step takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  void arrive_and_wait(std::size_t n = 1) {
    count_down(n);
    wait();
  }

  /// Alternative of select(): a wait for the last step of a latch.
  using OnZero = detail::OnZero;

  /// Makes an alternative for select() that waits until no step is left.
  ///
  /// @returns the alternative, for one call of select(); it refers to this latch
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnZero on_zero() noexcept { return OnZero(core_, WaitKind::kLatch); }

 private:
  // Far below the capacity of the word, so that no surplus step can wrap before it is detected.
  static constexpr std::size_t kMaxCount = std::size_t{1} << 60;

  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void too_many() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::CountdownCore core_;
};

}  // namespace jobs::inline JOBS_ABI
