// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Barrier: so many parties meet, again and again; std::barrier for fibers. Each meeting ends a phase; the last to arrive runs the
// completion function before it lets the others go on.
//
//   jobs::Barrier step(parties, [&]() noexcept { swap(now, next); });
//   while (running) { compute(now, next); step.arrive_and_wait(); }
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/phase_word.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace barrier_order {
JOBS_ORDER(kExpected, relaxed);  // travels with the arrivals, [B1]
}  // namespace barrier_order

struct NoCompletion {
  void operator()() const noexcept {}
};

// What does not depend on the completion function.
class JOBS_EXPORT BarrierCore {
 public:
  explicit BarrierCore(std::size_t expected) noexcept;
  ~BarrierCore();

  struct Arrived {
    std::uint64_t phase;
    bool is_last;
  };
  Arrived arrive(std::size_t n) noexcept;
  void expect_one_less() noexcept { expected_.fetch_sub(1, barrier_order::kExpected); }
  void end_phase() noexcept { word_.end_phase(expected_.load(barrier_order::kExpected)); }
  bool wait_before(std::uint64_t phase, os::Nanoseconds deadline, const std::stop_token& stop);

 private:
  PhaseWord word_;
  Atomic<std::uint64_t> expected_;
};

}  // namespace detail

// All members may be called by jobs, fibers and external threads alike. Whoever passes sees what was done before each arrival, and
// what the completion function did. An arrival too many in a phase, and destruction while somebody waits, abort. When wait() has
// returned to all who called it the barrier may be destroyed, even if the last to arrive has not returned yet.
//
// Waiters go on in the order in which they came. The completion function runs in the fiber or thread that arrives last, and may wait.
//
// A wait that has to suspend throws Error(kNoStack) if its worker needs one more fiber to go on with and cannot have it
// (SchedulerOptions::max_fibers, memory). The arrival counts nevertheless; with its token the wait can be repeated.
template <std::invocable Completion = detail::NoCompletion>
requires(std::is_nothrow_invocable_v<Completion&>) class Barrier {
 public:
  // One arrival: says which phase to wait for.
  class ArrivalToken {
   public:
    ArrivalToken(ArrivalToken&&) noexcept = default;
    ArrivalToken& operator=(ArrivalToken&&) noexcept = default;

   private:
    friend class Barrier;
    explicit ArrivalToken(std::uint64_t phase) : phase_(phase) {}
    std::uint64_t phase_;
  };

  static constexpr std::size_t max() noexcept { return detail::PhaseWord::kMaxArrivals; }

  // Each phase ends after `expected` arrivals. O(1), allocates nothing, here and everywhere below.
  explicit Barrier(std::size_t expected, Completion completion = Completion())
      : core_(expected), completion_(std::move(completion)) {}

  // `n` arrivals, without waiting. One atomic subtraction; the last one also completes the phase and wakes all waiters.
  [[nodiscard]] ArrivalToken arrive(std::size_t n = 1) { return ArrivalToken(arrive_now(n).phase); }

  // Returns when the phase of `token` has ended: at once, or suspends the fiber (an external thread: parks it). pre: that phase is
  // not further back than 2^30 phases.
  void wait(const ArrivalToken& token) { static_cast<void>(core_.wait_before(token.phase_, os::kNever, {})); }

  // As wait(), but gives up when a stop is requested. post: false: the phase has not ended. The arrival counts nevertheless.
  [[nodiscard]] bool wait(const ArrivalToken& token, const std::stop_token& stop) {
    return core_.wait_before(token.phase_, os::kNever, stop);
  }

  // As wait(), but gives up at `when`, or when a stop is requested. post: false: the phase has not ended. The arrival counts
  // nevertheless. A moment in the past only looks. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const ArrivalToken& token, const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return core_.wait_before(token.phase_, detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const ArrivalToken& token, const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return core_.wait_before(token.phase_, detail::to_deadline(timeout), stop);
  }

  void arrive_and_wait() {
    const detail::BarrierCore::Arrived arrived = arrive_now(1);
    // The last one has let the others go, who may have destroyed the barrier by now.
    if (!arrived.is_last) static_cast<void>(core_.wait_before(arrived.phase, os::kNever, {}));
  }

  // Arrives for the last time: one arrival less is expected from the next phase on.
  void arrive_and_drop() {
    core_.expect_one_less();
    arrive_now(1);
  }

 private:
  detail::BarrierCore::Arrived arrive_now(std::size_t n) {
    const detail::BarrierCore::Arrived arrived = core_.arrive(n);
    if (arrived.is_last) {
      completion_();
      core_.end_phase();
    }
    return arrived;
  }

  detail::BarrierCore core_;
  [[no_unique_address]] Completion completion_;
};

}  // namespace jobs::inline JOBS_ABI
