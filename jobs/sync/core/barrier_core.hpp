// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `BarrierCore`, a wait for the end of a phase: the core of Barrier.
//
// Owner: the primitive that contains it. Any thread may call arrive() and wait(); end_phase()
// is for the last thread to arrive; unlink() is for the thread of the waiter.
//
// State: the payload is {phase | arrivals to come}. One subtraction gives an arrival its phase, and
// whether it is the last one. Phases are numbered modulo 2^30.
//
// Invariants:
// - The phase advances only in a step from a word without flags, or under the lock bit.
// - A waiter takes the lock bit only in its own phase. Therefore no waiter links itself after the
//   list of its phase was emptied.
#pragma once

#include <cstdint>

#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace barrier_order {
// [barrier.1] The last arrival, which ends the phase, sees the effects that precede each arrival.
JOBS_ORDER(kArrive, acq_rel);  // partner: kArrive
// [barrier.2] A waiter that passes sees the effects that precede the end of the phase.
JOBS_ORDER(kEnd, release);   // partner: kLook
JOBS_ORDER(kLook, acquire);  // partner: kEnd
}  // namespace barrier_order

class JOBS_EXPORT BarrierCore : public WaitQueue {
 public:
  static constexpr std::uint64_t kMaxArrivals = (std::uint64_t{1} << 32) - 1;

  explicit BarrierCore(std::uint64_t expected) noexcept : WaitQueue(expected) {}

  static std::uint64_t phase_of(WaitState state) noexcept { return state.payload() / kOnePhase; }
  static std::uint64_t left_of(WaitState state) noexcept { return state.payload() % kOnePhase; }

  // Returns the state before. Unless it was the last arrival of the phase, this step was the last
  // access.
  WaitState arrive(std::uint64_t n) noexcept {
    return {word_.fetch_sub(WaitState::of(n).word, barrier_order::kArrive)};
  }

  // After the last arrival: begins the next phase, with `expected` arrivals. The last access of the
  // caller.
  void end_phase(std::uint64_t expected) noexcept;

  bool has_ended(std::uint64_t phase) const noexcept {
    return phase_of({word_.load(barrier_order::kLook)}) != phase;
  }

  // Suspends the fiber (parks an external thread) until `phase` has ended, or until the limit
  // `limit`.
  WaitStatus wait(std::uint64_t phase, WaitLimit limit);

  // Puts `waiter` on the list of `phase` and promises it a wake-up. Returns false if the phase has
  // ended; then nothing is promised.
  [[nodiscard]] bool link(Waiter& waiter, std::uint64_t phase) noexcept;

  // For park(): withdraws the promise. Returns false if it is too late: the wake-up is on its way,
  // and the caller must consume it.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  static constexpr std::uint64_t kOnePhase = kMaxArrivals + 1;
};

// An alternative of a selection: the phase has ended.
class OnPhaseEnd final : public Alternative {
 public:
  OnPhaseEnd(BarrierCore& core, std::uint64_t phase) noexcept : core_(core), phase_(phase) {}

  bool try_now() noexcept override { return core_.has_ended(phase_); }
  bool link() noexcept override {
    if (core_.link(*this, phase_)) return true;
    static_cast<void>(selection->claim(*this));
    return false;
  }
  bool unlink_self() noexcept override { return core_.unlink(*this); }
  WaitSite site() const noexcept override { return {WaitKind::kBarrier, &core_}; }

 private:
  BarrierCore& core_;
  const std::uint64_t phase_;
};

}  // namespace jobs::inline JOBS_ABI::detail
