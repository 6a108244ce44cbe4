// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `EventCore`, a level-triggered wait: the core of Event and of stop tokens.
//
// Owner: the primitive that contains it. Any thread may call any member; link() and unlink()
// are for the thread of the waiter.
//
// State: payload 1 means closed, payload 0 means open. A wait passes while the core is open.
//
// Invariants:
// - An open core has no flags.
// - While the lock bit is set, only its owner writes the word. Therefore unlocking is a plain
//   store.
//
// Protocol (proof: README.md):
// step 1: An opener that finds a closed core without flags opens it in one compare-exchange, its
//         last access.
// step 2: An opener that finds waiters takes the lock bit, empties the list, unlocks to "open", and
//         then wakes the waiters.
// step 3: A waiter takes the lock bit only of a closed core, links or unlinks itself, and unlocks
//         to "closed".
#pragma once

#include <cstdint>

#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace event_order {
// [event.1] A waiter that passes, and a caller that closes the core and checks again, see the
// effects that precede the opening. An opener that finds waiters unlocks the core instead,
// [wait_queue.1].
JOBS_ORDER(kOpen, release);   // partners: kLook, kClose
JOBS_ORDER(kLook, acquire);   // partners: kOpen, wait_queue_order::kUnlock
JOBS_ORDER(kClose, acquire);  // partners: kOpen, wait_queue_order::kUnlock
}  // namespace event_order

class JOBS_EXPORT EventCore : public WaitQueue {
 public:
  explicit EventCore(std::uint64_t payload) noexcept : WaitQueue(payload) {}

  bool is_open() const noexcept { return WaitState{word_.load(event_order::kLook)}.payload() == 0; }

  // Wakes all waiters; later waits pass. The call writes the word even if the core is open: the
  // effects that precede the call must reach the caller that closes the core and checks again.
  void open() noexcept;
  void close() noexcept { static_cast<void>(try_consume()); }

  // --- automatic reset ---

  // Returns true if the core was open and the caller has passed. The caller that passes closes the
  // core. With automatic reset the core opens only while no fiber waits.
  bool try_consume() noexcept {
    std::uint64_t seen =
        word_.load(wait_queue_order::kGuess);  // a load is cheaper than a failed compare-exchange
    return seen == WaitState::of(0).word &&
           word_.compare_exchange_strong(seen, WaitState::of(1).word, event_order::kClose,
                                         wait_queue_order::kGuess);
  }
  // Lets the first waiter pass. If no fiber waits, the core opens for the next caller.
  void release_one() noexcept;
  WaitStatus wait_and_consume(WaitLimit limit);

  // --- waiting ---

  // Suspends the fiber (parks an external thread) until the core is open, or until the limit
  // `limit`.
  WaitStatus wait(WaitLimit limit);

  // Puts `waiter` on the list and promises it a wake-up. Returns false if the core is open; then
  // nothing is promised.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. Returns false if it is too late: the wake-up is on its way, and the
  // caller must consume it.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  [[nodiscard]] bool open_unless_locked() noexcept;
  [[nodiscard]] bool lock_unless_open() noexcept;
  void unlock_as(std::uint64_t payload) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
