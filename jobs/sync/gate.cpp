// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/gate.hpp"

#include "jobs/base/deadline.hpp"
#include "jobs/sync/interrupt.hpp"
#include "jobs/sync/park.hpp"
#include "jobs/sync/spin.hpp"
#include "jobs/sync/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

void Gate::open() noexcept {
  WaitState before{word_.load(list_order::kGuess)};  // a look is cheaper than a guess that fails
  // An open gate is written as well: what the caller did before must reach whoever closes the gate and looks again.
  while (!word_.compare_exchange_weak(before.word, before.payload() == 0 ? before.word : before.word - WaitState::kOne,
                                      gate_order::kOpen, list_order::kGuess)) {
  }
  if (before.payload() != 0) opened(before);
}

void Gate::close() noexcept {
  Spin spin;
  WaitState seen = WaitState::of(0);
  while (!word_.compare_exchange_weak(seen.word, WaitState::of(1).word, gate_order::kClose, list_order::kGuess)) {
    if (seen.payload() != 0) return;
    if (seen.flags() != 0) spin.once();  // an opener is about to take the list: those waiters must pass first
    seen = WaitState::of(0);
  }
}

void Gate::admit_one() noexcept {
  Spin spin;
  WaitState seen = WaitState::of(1);  // the usual case, without a look
  for (;;) {
    if (seen.flags() == 0) {
      if (word_.compare_exchange_weak(seen.word, WaitState::of(0).word, gate_order::kOpen, list_order::kGuess)) return;
    } else if (seen.is_locked()) {
      spin.once();
      seen.word = word_.load(list_order::kGuess);
    } else if (word_.compare_exchange_weak(seen.word, seen.word | WaitState::kLocked, gate_order::kLink,
                                           list_order::kGuess)) {
      break;
    }
  }
  Waiter* first = list_.pop_granted();
  unlock(seen, gate_order::kUnlock, first != nullptr ? 0 : std::uint64_t{0} - 1);  // nobody to admit: open
  if (first != nullptr) wake(*first);
}

Outcome Gate::wait_one(Until until) {
  if (pass_one()) return Outcome::kOk;
  if (until.deadline == kPoll) return Outcome::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  while (!link(self)) {
    if (pass_one()) return Outcome::kOk;
  }
  return throw_if_interrupted(thread.host(), park(thread.host(), *this, self, until));
}

Outcome Gate::wait(Until until) {
  if (is_open()) return Outcome::kOk;
  if (until.deadline == kPoll) return Outcome::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  return link(self) ? throw_if_interrupted(thread.host(), park(thread.host(), *this, self, until)) : Outcome::kOk;
}

bool Gate::link(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(gate_order::kLink)};
  for (;;) {
    if (before.payload() == 0) return false;
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(gate_order::kLink);
    } else if (word_.compare_exchange_weak(before.word, before.word | WaitState::kLocked, gate_order::kLink,
                                           gate_order::kLink)) {
      break;
    }
  }
  list_.push_back(waiter);
  if (unlock(before, gate_order::kUnlock).payload() != 0) return true;
  list_.remove(waiter);  // it opened while we held the lock: the opener has left the list to us
  release_all();
  return false;
}

bool Gate::unlink(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(list_order::kGuess)};
  for (;;) {
    if (before.payload() == 0) return false;
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(list_order::kGuess);
    } else if (word_.compare_exchange_weak(before.word, before.word | WaitState::kLocked, gate_order::kLink,
                                           list_order::kGuess)) {
      break;
    }
  }
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  const bool others = !list_.empty();
  if (unlock(before, gate_order::kUnlock).payload() == 0 && others) release_all();  // as in link()
  return on_list;
}

// pre: open, waiters flag set, lock bit clear: the list belongs to the caller.
void Gate::release_all() noexcept {
  Waiter* first = list_.take_all();
  // Before the first wake-up: a woken waiter may destroy the gate, or close it and wait again.
  word_.fetch_sub(WaitState::kWaiters, gate_order::kClear);
  wake_all(first);
}

}  // namespace jobs::inline JOBS_ABI::detail
