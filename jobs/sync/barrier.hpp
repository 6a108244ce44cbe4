// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Barrier, a reusable meeting point of a fixed number of parties.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/barrier_core.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace barrier_base_order {
// The number travels with the arrivals, [barrier.1].
JOBS_ORDER(kExpected, relaxed);  // travels with the arrivals, [barrier.1]
}  // namespace barrier_base_order

// Completion function of a barrier that was created without one.
struct NoCompletion {
  void operator()() const noexcept {}
};

class BarrierWait;

// The part of a barrier that does not depend on the type of the completion function.
class JOBS_EXPORT BarrierBase {
 public:
  explicit BarrierBase(std::size_t expected) noexcept;
  ~BarrierBase();

  struct Arrived {
    std::uint64_t phase;
    bool is_last;
  };
  Arrived arrive(std::size_t n) noexcept;
  void expect_one_less() noexcept { expected_.fetch_sub(1, barrier_base_order::kExpected); }
  void end_phase() noexcept { core_.end_phase(expected_.load(barrier_base_order::kExpected)); }
  bool wait_before(std::uint64_t phase, os::Nanoseconds deadline, const std::stop_token& stop);
  BarrierCore& core() noexcept { return core_; }

 private:
  BarrierCore core_;
  Atomic<std::uint64_t> expected_;
};

}  // namespace detail

/// Lets a fixed number of parties wait for each other, phase by phase.
///
/// The class corresponds to `std::barrier`. A phase ends after `expected` arrivals. The last party
/// to arrive calls the completion function and then wakes the waiters in FIFO order. This party
/// runs the completion function in its own fiber or thread, and the function may wait. Then the
/// next phase begins.
///
/// A waiter that passes sees the effects that precede each arrival of its phase, and the effects of
/// the completion function.
///
/// A surplus arrival in a phase aborts, and so does destruction while a fiber waits. The barrier
/// may be destroyed as soon as wait() has returned to every waiter, even if the last party to
/// arrive has not returned yet.
///
/// @tparam Completion  type of the completion function: callable without arguments, does not throw
///
/// @snippet sync.cpp barrier
template <class Completion = detail::NoCompletion>
class Barrier {
  // No constraint, which would make the deduction of Barrier(2, f) fail without a reason.
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "jobs::Barrier: completion must be callable without arguments, and noexcept: write "
                "[&]() noexcept { ... }");

 public:
  /// Identifies the phase of an arrival: wait() takes it.
  class ArrivalToken {
   public:
    /// Moves the token.
    ArrivalToken(ArrivalToken&&) noexcept = default;

    /// Replaces this token by another token.
    ///
    /// @returns this token
    ArrivalToken& operator=(ArrivalToken&&) noexcept = default;

   private:
    friend class Barrier;
    explicit ArrivalToken(std::uint64_t phase) : phase_(phase) {}
    std::uint64_t phase_;
  };

  /// Returns the largest number of parties.
  ///
  /// @returns 2^32 - 1
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  static constexpr std::size_t max() noexcept { return detail::BarrierCore::kMaxArrivals; }

  /// Creates a barrier at its first phase.
  ///
  /// @param expected  number of arrivals that end a phase, at most max(); a larger number aborts
  /// @param completion  function that the last party of each phase calls
  /// @complexity O(1), no allocation
  explicit Barrier(std::size_t expected, Completion completion = Completion())
      : core_(expected), completion_(std::move(completion)) {}

  /// Arrives without waiting.
  ///
  /// The last arrival of a phase also calls the completion function and wakes all waiters.
  ///
  /// @param n  number of arrivals, at least 1; more than the phase still expects aborts
  /// @returns token of the phase, for wait()
  /// @complexity O(1), one atomic subtraction; the last arrival takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] ArrivalToken arrive(std::size_t n = 1) { return ArrivalToken(arrive_now(n).phase); }

  /// Suspends the calling fiber until the phase of `token` has ended.
  ///
  /// An external thread is parked instead. The phase may lie at most 2^30 phases back. If the wait
  /// throws, the arrival counts nevertheless, and the wait can be repeated with the same token.
  ///
  /// @param token  result of arrive()
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void wait(const ArrivalToken& token) {
    static_cast<void>(core_.wait_before(token.phase_, os::kNever, {}));
  }

  /// Waits as wait() does, until a stop is requested.
  ///
  /// The arrival counts in any case.
  ///
  /// @param token  result of arrive()
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the phase has ended, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool wait(const ArrivalToken& token, const std::stop_token& stop) {
    return core_.wait_before(token.phase_, os::kNever, stop);
  }

  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// The arrival counts in any case.
  ///
  /// @param token  result of arrive()
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the phase has ended, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const ArrivalToken& token,
                                const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return core_.wait_before(token.phase_, detail::to_deadline(when), stop);
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// The arrival counts in any case.
  ///
  /// @param token  result of arrive()
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the phase has ended, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const ArrivalToken& token,
                              const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return core_.wait_before(token.phase_, detail::to_deadline(timeout), stop);
  }

  /// Arrives and suspends the calling fiber until the phase has ended.
  ///
  /// If the wait throws, the arrival counts nevertheless.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; the last arrival takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  void arrive_and_wait() {
    const detail::BarrierBase::Arrived arrived = arrive_now(1);
    // The last party has woken the waiters, and one of them may have destroyed the barrier already.
    if (!arrived.is_last) static_cast<void>(core_.wait_before(arrived.phase, os::kNever, {}));
  }

  /// Alternative of select(): a wait for the end of a phase.
  using OnPhaseEnd = detail::OnPhaseEnd;

  /// Makes an alternative for select() that waits until the phase of `token` has ended.
  ///
  /// So fibers and tasks wait with a deadline, a stop or other alternatives. The arrival counts in
  /// any case.
  ///
  /// @param token  result of arrive()
  /// @returns the alternative, for one call of select(); it refers to this barrier
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnPhaseEnd on_phase_end(const ArrivalToken& token) noexcept {
    return OnPhaseEnd(core_.core(), token.phase_);
  }

  /// Arrives and leaves: later phases expect one arrival less.
  ///
  /// @complexity O(1), no allocation; the last arrival takes O(waiters)
  /// @thread_safety any thread or fiber, concurrently
  void arrive_and_drop() {
    core_.expect_one_less();
    arrive_now(1);
  }

 private:
  friend class detail::BarrierWait;

  detail::BarrierBase::Arrived arrive_now(std::size_t n) {
    const detail::BarrierBase::Arrived arrived = core_.arrive(n);
    if (arrived.is_last) {
      completion_();
      core_.end_phase();
    }
    return arrived;
  }

  detail::BarrierBase core_;
  [[no_unique_address]] Completion completion_;
};

}  // namespace jobs::inline JOBS_ABI
