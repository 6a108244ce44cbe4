// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Gate: waiting for a state. Closed while its payload is above zero, open at zero; whoever waits passes as soon as it is open.
// Counter and Event are gates, and so is a stop source.
//
// The protocol (proof sketch: README.md). The lock bit is taken only while the gate is closed, so the step that opens it decides
// by the flags it replaces who wakes the waiters:
//   no flag   nobody waits: that step was the opener's last touch of the gate, which may be destroyed at once;
//   locked    the holder, which is inside a wait, sees the open gate when it unlocks and takes the list over: last touch too;
//   waiters   the list is the opener's: nobody can lock an open gate, and a late waiter that finds it open stays for its wake-up.
#pragma once

#include <cstdint>

#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace gate_order {
// [G1] What was done before the gate opened is seen by whoever passes, and by the opener that takes the list.
JOBS_ORDER(kOpen, acq_rel);  // partners: kLook, kLink, kUnlock, kClose and kOpen itself (the last of several openers)
JOBS_ORDER(kLook, acquire);  // partner: kOpen
// [G2] The list, as the last holder of the lock left it; and [G1], if the gate has opened.
JOBS_ORDER(kLink, acquire);    // partners: kUnlock, kClear, kOpen
JOBS_ORDER(kUnlock, acq_rel);  // release to kLink and kOpen: the list; acquire from kOpen: as kLook
// [G3] The opener has emptied the list before anybody uses it again.
JOBS_ORDER(kClear, release);  // partners: kClose, kLink
JOBS_ORDER(kClose, acquire);  // partners: kClear; and kOpen: whoever resets an event may look at what was signalled
JOBS_ORDER(kAdd, relaxed);    // publishes nothing: what a job needs to know travels with the job
}  // namespace gate_order

class JOBS_EXPORT Gate : public WaitWord {
 public:
  explicit Gate(std::uint64_t payload) noexcept : WaitWord(payload) {}

  bool is_open() const noexcept { return WaitState{word_.load(gate_order::kLook)}.payload() == 0; }

  // --- a gate that counts. Both return the state before, for the caller to check. ---

  WaitState add(std::uint64_t count) noexcept { return {word_.fetch_add(WaitState::of(count).word, gate_order::kAdd)}; }

  // If the payload was `count`, the gate is open now and the caller owes a call of opened() with the result. Otherwise, and if
  // opened() has nothing to do, this was its last touch.
  WaitState subtract(std::uint64_t count) noexcept {
    return {word_.fetch_sub(WaitState::of(count).word, gate_order::kOpen)};
  }
  void opened(WaitState before) noexcept {
    if (before.flags() == WaitState::kWaiters) release_all();
  }

  // --- a gate that is a switch: payload 0 or 1 ---

  void open() noexcept;
  void close() noexcept;

  // --- a switch that goes back by itself: whoever passes closes the gate. It opens only while nobody waits. ---

  // post: true: it was open, and the caller has passed.
  bool pass_one() noexcept {
    WaitState seen = WaitState::of(0);
    return word_.compare_exchange_strong(seen.word, WaitState::of(1).word, gate_order::kClose, list_order::kGuess);
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
  void release_all() noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
