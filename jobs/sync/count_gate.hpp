// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CountGate: waiting for a count to reach zero. Closed while its payload is above zero, open at zero; whoever waits passes as
// soon as it is open. Counter and Latch are such gates.
//
// The protocol (proof sketch: README.md). The count changes in one step whoever holds the lock bit. That is taken only while
// the gate is closed, so the step that opens it decides by the flags it replaces who wakes the waiters:
//   no flag   nobody waits: that step was the opener's last touch of the gate, which may be destroyed at once;
//   locked    the holder, which is inside a wait, sees the open gate when it unlocks and takes the list over: last touch too;
//   waiters   the list is the opener's: nobody can lock an open gate, and a late waiter that finds it open stays for its wake-up.
#pragma once

#include <cstdint>

#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace count_gate_order {
// [C1] What was done before the gate opened is seen by whoever passes, and by the opener that takes the list.
JOBS_ORDER(kOpen, acq_rel);  // partners: kLook, kLink, kUnlock and kOpen itself (the last of several openers)
JOBS_ORDER(kLook, acquire);  // partner: kOpen
// [C2] The list, as the last holder of the lock left it; and [C1], if the gate has opened.
JOBS_ORDER(kLink, acquire);    // partners: kUnlock, kClear, kOpen
JOBS_ORDER(kUnlock, acq_rel);  // release to kLink and kOpen: the list; acquire from kOpen: as kLook
// [C3] The opener has emptied the list before anybody uses it again.
JOBS_ORDER(kClear, release);  // partner: kLink
JOBS_ORDER(kAdd, relaxed);    // publishes nothing: what a job needs to know travels with the job
}  // namespace count_gate_order

class JOBS_EXPORT CountGate : public WaitWord {
 public:
  explicit CountGate(std::uint64_t count) noexcept : WaitWord(count) {}

  bool is_open() const noexcept { return WaitState{word_.load(count_gate_order::kLook)}.payload() == 0; }

  // Both return the state before, for the caller to check.
  WaitState add(std::uint64_t count) noexcept {
    return {word_.fetch_add(WaitState::of(count).word, count_gate_order::kAdd)};
  }
  // If the payload was `count`, the gate is open now and the caller owes a call of opened() with the result. Otherwise, and if
  // opened() has nothing to do, this was its last touch.
  WaitState subtract(std::uint64_t count) noexcept {
    return {word_.fetch_sub(WaitState::of(count).word, count_gate_order::kOpen)};
  }
  void opened(WaitState before) noexcept {
    if (before.flags() == WaitState::kWaiters) release_all();
  }

  // Suspends the fiber (an external thread: parks it) until the gate is open, or until `until`. `kind`: of what the gate is part.
  Outcome wait(Until until, WaitKind kind = WaitKind::kCounter);

  // Puts `waiter` on the list; from then on it is promised a wake-up. post: false: the gate is open, nothing is promised.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. post: false: too late, the wake-up is on its way and must be awaited.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  void release_all() noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
