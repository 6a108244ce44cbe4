// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Gate: waiting for a switch. Payload 1: closed; 0: open, and whoever waits passes. An Event is a gate, and so is a stop source.
//
// The protocol (proof sketch: README.md). An open gate has no flags. A closed one without flags opens in one step, the opener's
// last touch; everything else happens under the lock bit, and nobody but its holder writes the word then: to unlock is a plain
// store.
#pragma once

#include <cstdint>

#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace gate_order {
// [G1] What was done before the gate opened is seen by whoever passes, and by whoever closes it and looks again.
JOBS_ORDER(kOpen, release);   // partners: kLook, kClose; an opener that finds waiters unlocks the gate instead, [W1]
JOBS_ORDER(kLook, acquire);   // partners: kOpen, list_order::kUnlock
JOBS_ORDER(kClose, acquire);  // partners: kOpen, list_order::kUnlock
}  // namespace gate_order

class JOBS_EXPORT Gate : public WaitWord {
 public:
  explicit Gate(std::uint64_t payload) noexcept : WaitWord(payload) {}

  bool is_open() const noexcept { return WaitState{word_.load(gate_order::kLook)}.payload() == 0; }

  // For all who wait and all who come. If the gate was open, that is written too: what the caller did before must reach whoever
  // closes it and looks again.
  void open() noexcept;
  void close() noexcept { static_cast<void>(pass_one()); }

  // --- a gate that closes by itself: whoever passes closes it. It opens only while nobody waits. ---

  // post: true: it was open, and the caller has passed.
  bool pass_one() noexcept {
    std::uint64_t seen = word_.load(list_order::kGuess);  // a look is cheaper than a guess that fails
    return seen == WaitState::of(0).word &&
           word_.compare_exchange_strong(seen, WaitState::of(1).word, gate_order::kClose, list_order::kGuess);
  }
  // Lets the first waiter pass; if nobody waits, the gate is open for who comes next.
  void admit_one() noexcept;
  Outcome wait_one(Until until);

  // --- waiting ---

  // Suspends the fiber (an external thread: parks it) until the gate is open, or until `until`.
  Outcome wait(Until until);

  // Puts `waiter` on the list; from then on it is promised a wake-up. post: false: the gate is open, nothing is promised.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. post: false: too late, the wake-up is on its way and must be awaited.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  [[nodiscard]] bool open_unless_locked() noexcept;
  [[nodiscard]] bool lock_unless_open() noexcept;
  void unlock_as(std::uint64_t payload) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
