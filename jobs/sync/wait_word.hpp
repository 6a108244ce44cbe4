// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitWord: what every primitive is made of, 16 bytes. One atomic word {payload | has waiters | locked} and a list of waiters
// that the lock bit guards. Since flags and payload share the word, the order of "I link myself" and "it has happened" is
// decided by one modification order: no fence, no second look.
//
// A lock bit is held for a handful of list operations and never over a suspension; the sections are all in this folder.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/sync/wait_list.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace list_order {
// [W1] Whoever takes the lock bit sees the list and its waiters as the last holder left them.
JOBS_ORDER(kLock, acquire);    // partners: kUnlock, permit_order::kGive
JOBS_ORDER(kUnlock, release);  // partners: kLock; of a gate that opens also gate_order::kLook, kClose
JOBS_ORDER(kGuess, relaxed);   // only says what to try: a compare-exchange confirms or corrects it
}  // namespace list_order

// A value that the word had: plain data.
struct WaitState {
  static constexpr std::uint64_t kLocked = 1;   // somebody works on the list
  static constexpr std::uint64_t kWaiters = 2;  // the list is not empty; exact while the lock bit is clear
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

class WaitWord {
 public:
  WaitWord(const WaitWord&) = delete;
  WaitWord& operator=(const WaitWord&) = delete;

  // For checks that somebody else's synchronisation makes exact, such as those of a destructor.
  WaitState state() const noexcept { return {word_.load(list_order::kGuess)}; }

 protected:
  explicit WaitWord(std::uint64_t payload) noexcept : word_(WaitState::of(payload).word) {}
  ~WaitWord() = default;

  // Takes the lock bit, whatever the payload; returns the state before.
  WaitState lock() noexcept;

  // Adds `payload` in one step, in `order`, if no flag is set: then it returns false, and that was the last touch. Otherwise takes
  // the lock bit. `seen` is a guess of the state before; post: the state before.
  [[nodiscard]] bool lock_unless_added(WaitState& seen, std::uint64_t payload, const Order& order) noexcept;

  // Gives the lock bit back, sets the waiters flag as the list says and adds `payload`. `before` is the state that taking the
  // lock replaced. Returns the state that this step replaced. An addition, since others may change the payload meanwhile.
  WaitState unlock(WaitState before, const Order& order, std::uint64_t payload = 0) noexcept {
    chaos::point();
    const std::uint64_t waiters = list_.empty() ? 0 : WaitState::kWaiters;
    const std::uint64_t change =
        WaitState::of(payload).word + waiters - (before.word & WaitState::kWaiters) - WaitState::kLocked;
    return {word_.fetch_add(change, order)};
  }

  // compare_exchange_weak() of the word. Through a local: GCC keeps a struct of which a member is passed by reference in memory,
  // and loads it again right before the locked instruction, which waits for that.
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
