// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/event_core.hpp"

#include "jobs/base/spin.hpp"
#include "jobs/sync/core/park.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Waits for the lock bit of the word, and returns the word. Out of line: the state of the loop
// would occupy a register of the callers.
JOBS_COLD std::uint64_t await_unlocked(const Atomic<std::uint64_t>& word,
                                       const Order& order) noexcept {
  Spin spin;
  for (;;) {
    const WaitState seen{word.load(order)};
    if (!seen.is_locked()) return seen.word;
    spin.once();
  }
}

}  // namespace

// If no fiber waits, opens the core, as the last access, and returns true. Otherwise returns false:
// the caller owns the lock bit, and the core is closed.
JOBS_ALWAYS_INLINE bool EventCore::open_unless_locked() noexcept {
  WaitState seen{word_.load(wait_queue_order::kGuess)};
  for (;;) {
    if (seen.flags() == 0) {
      if (replace(seen, WaitState::of(0).word, event_order::kOpen, wait_queue_order::kGuess))
        return true;
    } else if (seen.is_locked()) {
      seen.word = await_unlocked(word_, wait_queue_order::kGuess);
    } else if (replace(seen, seen.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      return false;
    }
  }
}

// Returns true if the caller has taken the lock bit, false if the core is open.
JOBS_ALWAYS_INLINE bool EventCore::lock_unless_open() noexcept {
  WaitState seen{word_.load(event_order::kLook)};
  for (;;) {
    if (seen.payload() == 0) return false;
    if (seen.is_locked()) {
      seen.word = await_unlocked(word_, event_order::kLook);
    } else if (replace(seen, seen.word | WaitState::kLocked, wait_queue_order::kLock,
                       event_order::kLook)) {
      return true;
    }
  }
}

JOBS_ALWAYS_INLINE void EventCore::unlock_as(std::uint64_t payload) noexcept {
  word_.store(WaitState::of(payload).word | (list_.empty() ? 0 : WaitState::kWaiters),
              wait_queue_order::kUnlock);
}

void EventCore::open() noexcept {
  if (open_unless_locked()) return;
  Waiter* first = list_.take_all();
  // Before the first wake-up: a woken waiter may destroy the core, or close it and wait again.
  unlock_as(0);
  wake_all(first);
}

void EventCore::release_one() noexcept {
  if (open_unless_locked()) return;
  Waiter* first = list_.pop_claimed();
  unlock_as(first != nullptr ? 1 : 0);  // no waiter to admit: open
  if (first != nullptr) wake(*first);
}

WaitStatus EventCore::wait_and_consume(WaitLimit limit) {
  if (try_consume()) return WaitStatus::kOk;
  if (limit.deadline == kPoll) return WaitStatus::kTimedOut;
  FiberHost* const host = this_thread().host;
  if (host == nullptr) [[unlikely]]
    return as_external_thread([&] { return wait_and_consume(limit); });
  host->prepare_wait();
  Waiter self(host->current());
  while (!link(self)) {
    if (try_consume()) return WaitStatus::kOk;
  }
  return throw_if_interrupted(*host, park(*host, *this, self, limit, {WaitKind::kEvent, this}));
}

WaitStatus EventCore::wait(WaitLimit limit) {
  return wait_until_open(*this, limit, WaitKind::kEvent, [this, limit] { return wait(limit); });
}

bool EventCore::link(Waiter& waiter) noexcept {
  if (!lock_unless_open()) return false;
  list_.push_back(waiter);
  unlock_as(1);
  return true;
}

bool EventCore::unlink(Waiter& waiter) noexcept {
  if (!lock_unless_open()) return false;
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  unlock_as(1);
  return on_list;
}

}  // namespace jobs::inline JOBS_ABI::detail
