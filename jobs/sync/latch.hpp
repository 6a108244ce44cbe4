// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Latch: lets everybody pass once so many steps have been counted down; std::latch for fibers. It is used once. A Counter can grow
// again and carries exceptions; a Latch is the smaller promise, and misuse of it (a step too many) is found.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/count_gate.hpp"

namespace jobs::inline JOBS_ABI {

// All members may be called by jobs, fibers and external threads alike. Whoever passes sees what was done before each count_down().
// Counting down below zero, and destruction while somebody waits, abort. As soon as wait() has returned to all who called it the
// latch may be destroyed, even if the last count_down() has not returned yet.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory). arrive_and_wait() has counted down by then.
class JOBS_EXPORT Latch {
 public:
  static constexpr std::size_t max() noexcept { return kMaxCount; }

  // `expected` steps are to come; 0: open from the start. O(1), allocates nothing, here and everywhere below.
  explicit Latch(std::size_t expected) noexcept : gate_(expected) {
    if (expected > kMaxCount) [[unlikely]]
      too_many();
  }
  ~Latch() {
    if (gate_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  // `n` steps are done. One atomic subtraction; the last one also wakes all waiters, in the order in which they came.
  void count_down(std::size_t n = 1) noexcept;

  // One load. post: true: nothing is left to count down. Never wrong about false, unlike std::latch.
  [[nodiscard]] bool try_wait() const noexcept { return gate_.is_open(); }

  // Returns when nothing is left: at once, or suspends the fiber (an external thread: parks it).
  void wait() {
    if (!gate_.is_open()) gate_.wait({}, WaitKind::kLatch);
  }

  // As wait(), but gives up when a stop is requested. post: false: something is left.
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  // As wait(), but gives up at `when`, or when a stop is requested. post: false: something is left. A moment in the past only
  // looks. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout, const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  void arrive_and_wait(std::size_t n = 1) {
    count_down(n);
    wait();
  }

 private:
  // Far below what the word can hold, so that no step too many can wrap before it is seen.
  static constexpr std::size_t kMaxCount = std::size_t{1} << 60;

  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void too_many() const noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::CountGate gate_;
};

}  // namespace jobs::inline JOBS_ABI
