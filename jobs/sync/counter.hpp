// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Counter, which waits for a group of jobs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/count_threshold.hpp"
#include "jobs/sync/core/countdown_core.hpp"
#include "jobs/sync/core/selection.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
class JobTrigger;
class PriorityLift;

namespace counter_order {
// The flags are hints. Counts the failures, and elects the job that writes the exception. The
// exception itself travels with done(), [countdown.1].
JOBS_ORDER(kFailure, relaxed);
}  // namespace counter_order
}  // namespace detail

/// Waits for a group of jobs.
///
/// The counter holds the number of outstanding jobs. add() announces a job before the job is
/// submitted, done() reports its end, and wait() returns when no job is outstanding.
/// `jobs::spawn(counter, f)` calls add() and done() itself.
///
/// A wait lifts the low and background jobs of the counter (Priority).
///
/// wait() rethrows the first exception of the jobs. All effects of a job are visible after wait().
/// Waiters resume in FIFO order.
///
/// The counter may be destroyed as soon as wait() has returned to every waiter, even if the last
/// done() has not returned yet. A counter that has reached zero can be used again.
///
/// These violations of the contract abort the program:
/// - more done() than add();
/// - add() from zero while a fiber waits, because the wait would belong to no cycle;
/// - destruction while a fiber waits.
///
/// @snippet sync.cpp counter
class JOBS_EXPORT Counter {
 public:
  /// Creates a counter with `count` outstanding jobs.
  ///
  /// @param count  number of jobs, at most 2^60; a larger number aborts
  /// @complexity O(1), no allocation
  explicit Counter(std::size_t count = 0) noexcept : core_(count) {
    if (count > kMaxCount) overflow();
  }

  /// Destroys the counter and drops exceptions that no wait() has rethrown.
  ///
  /// If jobs are outstanding while the stack unwinds, the destructor waits for them, because they
  /// may refer to the stack. This wait cannot be interrupted. If jobs are outstanding otherwise,
  /// the destructor aborts.
  ///
  /// @complexity O(1)
  ~Counter() {
    if (!core_.is_unused()) [[unlikely]]
      destroyed_in_use();
  }

  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  /// Announces `n` jobs.
  ///
  /// A call from zero while a fiber waits, and a sum above 2^60, abort.
  ///
  /// @param n  number of jobs
  /// @complexity O(1), one atomic addition, no allocation
  /// @thread_safety any thread or fiber, concurrently
  void add(std::size_t n = 1) noexcept {
    if (n > kMaxCount) [[unlikely]]
      overflow();
    const detail::WaitState before = core_.add(n);
    if (before.payload() == 0 && before.flags() != 0) [[unlikely]]
      added_while_waited_on();
    if (before.payload() > kMaxCount - n) [[unlikely]]
      check_overflow(n);
  }

  /// Reports the end of one job.
  ///
  /// Everything that precedes this call is visible after wait(). The last call wakes all waiters in
  /// FIFO order. A call without an outstanding job aborts.
  ///
  /// @returns true if the call brought the count to zero. The counter may be destroyed by then.
  /// @complexity O(1), one atomic subtraction; the last call takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  bool done() noexcept {
    const detail::WaitState before = core_.subtract(1);
    // One comparison for two cases: the mark of a CountThreshold is the sign.
    if (static_cast<std::int64_t>(before.word) < std::int64_t{2 * detail::WaitState::kOne})
        [[unlikely]]
      return last_or_marked(before);
    return false;
  }

  /// Records the exception of a job that calls done() next.
  ///
  /// wait() rethrows the first recorded exception and counts the remaining ones. This function is
  /// for code that runs jobs itself; jobs::spawn() calls it for its jobs.
  ///
  /// @param error  exception of the job
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void fail(std::exception_ptr error) noexcept;

  /// Suspends the calling fiber until no job is outstanding.
  ///
  /// An external thread is parked instead. If it has spawned a job with a counter, it first runs
  /// jobs of this counter that no worker has taken (\ref waiting).
  ///
  /// Then the call rethrows the first exception of the jobs and clears all recorded exceptions. If
  /// several fibers wait, one of them receives the exception.
  ///
  /// @throws the first exception of a job
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; two loads if no job is outstanding
  /// @thread_safety any thread or fiber, concurrently
  void wait() {
    if (!core_.is_open()) wait_for_jobs();
    if (failures_.load(detail::counter_order::kFailure) != 0) [[unlikely]]
      rethrow();
  }

  /// Waits as wait() does, until a stop is requested, and runs no job.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if no job is outstanding, false if the stop came first
  /// @throws the first exception of a job
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  /// Waits as wait() does, until a point in time or a stop request, and runs no job.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if no job is outstanding, false if the deadline or the stop came first
  /// @throws the first exception of a job
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
  /// @returns true if no job is outstanding, false if the deadline or the stop came first
  /// @throws the first exception of a job
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  /// Suspends the calling fiber until at most `n` jobs are outstanding, and runs no job.
  ///
  /// An external thread is parked instead. A producer keeps a bounded number of jobs in flight this
  /// way. The call rethrows no exception. It returns when it has seen the number. Other threads may
  /// add jobs at the same time; while they keep the count above `n`, the call waits on.
  ///
  /// While a thread waits here, each done() takes a spin lock.
  ///
  /// @snippet sync.cpp wait_until_at_most
  ///
  /// @param n  number of outstanding jobs
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one load if at most `n` jobs are outstanding
  /// @thread_safety any thread or fiber, concurrently
  void wait_until_at_most(std::size_t n) {
    static_cast<void>(detail::CountThreshold::wait_at_most(core_, n, os::kNever, {}));
  }
  /// Waits as wait_until_at_most() does, until a point in time or a stop request.
  ///
  /// @param n  number of outstanding jobs
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if at most `n` jobs are outstanding, false if the deadline or the stop came
  /// first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until_at_most(std::size_t n,
                                        const std::chrono::time_point<Clock, Duration>& when,
                                        const std::stop_token& stop = {}) {
    return detail::CountThreshold::wait_at_most(core_, n, detail::to_deadline(when), stop);
  }

  /// Alternative of select(): a wait for the jobs of a counter.
  class OnZero;

  /// Makes an alternative for select() that waits until no job is outstanding.
  ///
  /// The selection runs no job and rethrows no exception: a later wait() returns at once, or
  /// rethrows the first exception of the jobs. If it has to wait, it lifts the low and background
  /// jobs of the counter (Priority).
  ///
  /// @snippet sync.cpp select_any_wait
  ///
  /// @returns the alternative, for one call of select(); it refers to this counter
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnZero on_zero() noexcept;

  /// Returns the number of exceptions that the latest rethrow has dropped.
  ///
  /// @returns number of recorded exceptions besides the rethrown exception
  /// @complexity O(1)
  /// @thread_safety only the thread or fiber that received the exception
  std::size_t dropped_exceptions() const noexcept { return dropped_; }

 private:
  friend detail::JobTrigger;    // links jobs that start at zero or at a number
  friend detail::PriorityLift;  // lifts the lower jobs of a counter with a waiter

  // Far below the capacity of the word, so that no addition can wrap before it is checked.
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 60;

  // Flags of failures_ (PriorityLift).
  static constexpr std::uint32_t kHasLower = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kIsLifted = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kFailures = kIsLifted - 1;
  // Null until the first lower job with a counter.
  static std::atomic<void (*)(Counter&) noexcept> lift_;

  JOBS_NOINLINE void wait_for_jobs();
  void lift_if_lower() noexcept;
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  JOBS_COLD void rethrow();
  JOBS_COLD void destroyed_in_use() noexcept;
  JOBS_NOINLINE bool last_or_marked(detail::WaitState before) noexcept;
  [[noreturn]] JOBS_COLD void added_while_waited_on() const noexcept;
  JOBS_COLD void check_overflow(std::size_t n) const noexcept;
  [[noreturn]] JOBS_COLD void overflow() const noexcept;

  detail::CountdownCore core_;
  // The number of failures, and flags.
  detail::Atomic<std::uint32_t> failures_{0};
  detail::Plain<std::uint32_t> dropped_{0};
  // Written by the job that counts failure 1, taken by the waiter that clears the count.
  detail::Plain<std::exception_ptr> first_{nullptr};
};

/// @cond internal
class JOBS_EXPORT Counter::OnZero final : public detail::OnZero {
 public:
  bool link() noexcept override;

 private:
  friend Counter;
  explicit OnZero(Counter& counter) noexcept
      : detail::OnZero(counter.core_, WaitKind::kCounter), counter_(counter) {}

  Counter& counter_;
};
/// @endcond

inline Counter::OnZero Counter::on_zero() noexcept { return OnZero(*this); }

}  // namespace jobs::inline JOBS_ABI
