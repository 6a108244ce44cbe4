// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counter: waits for a group of jobs. Each job is announced with add() before it is handed over and calls done() at its end;
// wait() returns when none is outstanding. jobs::spawn(counter, f) does both.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/count_gate.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::counter_order {
JOBS_ORDER(kFailure, relaxed);  // counts, and elects who writes; the exception itself travels with done(), [C1]
}  // namespace detail::counter_order

// All members may be called by jobs, fibers and external threads alike. Broken contracts abort with one line that says which:
// more done() than add(); add() from zero while somebody waits (what would that wait be for?); destruction while somebody waits.
//
// The counter may be destroyed as soon as wait() has returned to all who called it, even if the last done() has not returned yet.
// It can be used again after that.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_EXPORT Counter {
 public:
  // `count` jobs are outstanding from the start. O(1), allocates nothing, here and everywhere below.
  explicit Counter(std::size_t count = 0) noexcept : gate_(count) {
    if (count > kMaxCount) overflow();
  }

  // If jobs are outstanding: waits for them while the stack is unwinding (they may refer to it), otherwise aborts. Exceptions
  // that no wait() has rethrown are dropped.
  ~Counter() {
    if (gate_.state().word != 0) [[unlikely]]
      destroyed_in_use();
  }

  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // Announces `n` more jobs. One atomic addition.
  void add(std::size_t n = 1) noexcept {
    if (n > kMaxCount) [[unlikely]]
      overflow();
    const detail::WaitState before = gate_.add(n);
    if (before.payload() == 0 && before.flags() != 0) [[unlikely]]
      added_while_waited_on();
    if (before.payload() > kMaxCount - n) [[unlikely]]
      overflow();
  }

  // One job has ended. What it did is seen by whoever returns from wait(). One atomic subtraction; the last one also wakes all
  // waiters, in the order in which they came.
  void done() noexcept {
    const detail::WaitState before = gate_.subtract(1);
    if (before.payload() <= 1) [[unlikely]]
      reached_zero(before);
  }

  // The job of the next done() has failed: wait() will throw `error`, if it is the first. For those who run jobs themselves.
  void fail(std::exception_ptr error) noexcept;

  // Returns when no job is outstanding: at once if none is, otherwise suspends the fiber (an external thread: parks it). Then
  // rethrows the first exception that the jobs left, and forgets all of them; if several wait, one of them gets it.
  void wait() {
    if (!gate_.is_open()) gate_.wait({});
    if (failures_.load(detail::counter_order::kFailure) != 0) [[unlikely]]
      rethrow();
  }

  // As wait(), but gives up when a stop is requested. post: false: jobs are outstanding still.
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  // As wait(), but gives up at `when`, or when a stop is requested. post: false: jobs are outstanding still. A moment in the past
  // only looks. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout, const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  // How many further exceptions came with the one that wait() has rethrown last. For the thread or fiber that got it.
  std::size_t dropped_exceptions() const noexcept { return dropped_; }

 private:
  // Far below what the word can hold, so that no addition can wrap before it is checked.
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 60;

  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  JOBS_COLD void rethrow();
  JOBS_COLD void destroyed_in_use() noexcept;
  JOBS_NOINLINE void reached_zero(detail::WaitState before) noexcept;
  [[noreturn]] JOBS_COLD void added_while_waited_on() const noexcept;
  [[noreturn]] JOBS_COLD void overflow() const noexcept;

  detail::CountGate gate_;
  detail::Atomic<std::uint32_t> failures_{0};
  detail::Plain<std::uint32_t> dropped_{0};
  // Written by the job that counts failure 1, taken by the waiter that clears the count.
  detail::Plain<std::exception_ptr> first_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI
