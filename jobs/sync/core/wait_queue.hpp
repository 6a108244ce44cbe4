// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `WaitQueue`, the base of every primitive, 16 bytes.
//
// Owner: the primitive that derives from it. Any thread may call the members.
//
// State: one atomic word {payload | has waiters | locked}, and a list of waiters that the lock bit
// guards.
//
// Flags and payload share the word, so one modification order contains both "the waiter links
// itself" and "the condition becomes true". Therefore the protocol needs no fence and no second
// check.
//
// The lock bit is held for a few list operations and never over a suspension. All its sections are
// in this folder.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/sync/core/wait_list.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace wait_queue_order {
// [wait_queue.1] The new owner of the lock bit sees the list and its waiters as its previous owner
// left them.
JOBS_ORDER(kLock, acquire);  // partners: kUnlock, semaphore_order::kTransfer
JOBS_ORDER(kUnlock,
           release);  // partners: kLock; if an event core opens, also event_order::kLook, kClose
JOBS_ORDER(kGuess, relaxed);  // a guess: a compare-exchange confirms or corrects it
}  // namespace wait_queue_order

// A value of the word: plain data.
struct WaitState {
  static constexpr std::uint64_t kLocked = 1;  // a thread works on the list
  static constexpr std::uint64_t kWaiters =
      2;  // the list is not empty; exact while the lock bit is clear
  static constexpr std::uint64_t kFlags = kLocked | kWaiters;
  static constexpr std::uint64_t kOne = 4;  // one unit of payload

  std::uint64_t word;

  constexpr std::uint64_t payload() const noexcept { return word / kOne; }
  constexpr std::uint64_t flags() const noexcept { return word & kFlags; }
  constexpr bool is_locked() const noexcept { return (word & kLocked) != 0; }
  constexpr bool has_waiters() const noexcept { return (word & kWaiters) != 0; }

  static constexpr WaitState of(std::uint64_t payload) noexcept { return {payload * kOne}; }
};
static_assert(WaitState{WaitState::of(3).word | WaitState::kWaiters}.payload() == 3);

class WaitQueue {
 public:
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  // For checks that are exact by the synchronisation of the caller, such as the checks of a
  // destructor.
  WaitState state() const noexcept { return {word_.load(wait_queue_order::kGuess)}; }

 protected:
  explicit WaitQueue(std::uint64_t payload) noexcept : word_(WaitState::of(payload).word) {}
  ~WaitQueue() = default;

  // Takes the lock bit, whatever the payload. Returns the state before.
  WaitState lock() noexcept;

  // If no flag is set, adds `payload` in one step, in `order`, and returns false; this step is the
  // last access. Otherwise takes the lock bit and returns true. `seen` is a guess of the state
  // before, and contains that state afterwards.
  [[nodiscard]] bool lock_unless_added(WaitState& seen, std::uint64_t payload,
                                       const Order& order) noexcept;

  // Releases the lock bit, sets the waiters flag according to the list, and adds `payload`.
  // `before` is the state that lock() replaced. Returns the state that this step replaced. The step
  // is an addition, because other threads may change the payload meanwhile.
  WaitState unlock(WaitState before, const Order& order, std::uint64_t payload = 0) noexcept {
    chaos::inject_delay();
    const std::uint64_t waiters = list_.empty() ? 0 : WaitState::kWaiters;
    const std::uint64_t change = WaitState::of(payload).word + waiters -
                                 (before.word & WaitState::kWaiters) - WaitState::kLocked;
    return {word_.fetch_add(change, order)};
  }

  // compare_exchange_weak() of the word, through a local variable. If a member of a struct is
  // passed by reference, GCC keeps the struct in memory. GCC then loads it again right before the
  // locked instruction, which waits for that load.
  JOBS_ALWAYS_INLINE bool replace(WaitState& seen, std::uint64_t by, const Order& success,
                                  const Order& failure) noexcept {
    std::uint64_t word = seen.word;
    const bool replaced = word_.compare_exchange_weak(word, by, success, failure);
    seen.word = word;
    return replaced;
  }

  Atomic<std::uint64_t> word_;
  WaitList list_;
};

}  // namespace jobs::inline JOBS_ABI::detail
