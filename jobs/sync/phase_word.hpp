// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PhaseWord: waiting for the end of a phase, the core of Barrier. The payload is {phase | arrivals to come}: so an arrival learns from
// one subtraction which phase it belongs to and whether it is the last. Phases are numbered modulo 2^30.
//
// The phase moves on only in a step that finds no flags, or under the lock bit; a waiter takes the lock bit only in its own phase. So
// none can link itself after the list of its phase was emptied.
#pragma once

#include <cstdint>

#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace phase_order {
// [B1] What was done before each arrival is seen by the last one, which ends the phase, ...
JOBS_ORDER(kArrive, acq_rel);  // partner: kArrive
// [B2] ... and what was done before it ended by whoever passes.
JOBS_ORDER(kEnd, release);   // partner: kLook
JOBS_ORDER(kLook, acquire);  // partner: kEnd
}  // namespace phase_order

class JOBS_EXPORT PhaseWord : public WaitWord {
 public:
  static constexpr std::uint64_t kMaxArrivals = (std::uint64_t{1} << 32) - 1;

  explicit PhaseWord(std::uint64_t expected) noexcept : WaitWord(expected) {}

  static std::uint64_t phase_of(WaitState state) noexcept { return state.payload() / kOnePhase; }
  static std::uint64_t left_of(WaitState state) noexcept { return state.payload() % kOnePhase; }

  // Returns the state before. Unless it was the last arrival of the phase, this was its last touch.
  WaitState arrive(std::uint64_t n) noexcept { return {word_.fetch_sub(WaitState::of(n).word, phase_order::kArrive)}; }

  // After the last arrival: the next phase begins, with `expected` arrivals. The caller's last touch.
  void end_phase(std::uint64_t expected) noexcept;

  // Suspends the fiber (an external thread: parks it) until that phase has ended, or until `until`.
  Outcome wait(std::uint64_t phase, Until until);

  // For park(). Withdraws the promise. post: false: too late, the wake-up is on its way and must be awaited.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  static constexpr std::uint64_t kOnePhase = kMaxArrivals + 1;

  [[nodiscard]] bool link(Waiter& waiter, std::uint64_t phase) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
