// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/semaphore_core.hpp"

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/spin.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

#if defined(JOBS_MODEL)
constexpr int kFirstPauses = 1, kMostPauses = 1;  // more attempts show nothing new
#else
constexpr int kFirstPauses = 4, kMostPauses = 256;  // one pause takes about 40 ns
#endif

}  // namespace

bool Permits::try_acquire_patiently(const Owner& owner) noexcept {
  if (!owner.is_elsewhere()) return false;
  for (int pauses = kFirstPauses; pauses <= kMostPauses; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) cpu_relax();
    if (WaitState{word_.load(list_order::kGuess)}.payload() != 0 && try_acquire()) return true;
  }
  return false;
}

Outcome Permits::acquire(Until until, WaitKind kind, const Owner* owner) {
  if (try_acquire()) return Outcome::kOk;
  if (until.deadline == kPoll) return Outcome::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  return throw_if_interrupted(thread.host(), contend(thread.host(), self, until, kind, owner));
}

Outcome Permits::contend(FiberHost& host, Waiter& self, Until until, WaitKind kind, const Owner* owner) noexcept {
  while (link(self)) {
    const Outcome outcome = park(host, *this, self, until, {kind, this});
    if (outcome != Outcome::kOk) return outcome;
    if (self.owns || try_acquire() || (owner != nullptr && try_acquire_patiently(*owner))) return Outcome::kOk;
    self.urgent = true;
  }
  return Outcome::kOk;
}

bool Permits::link(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(list_order::kGuess)};
  for (;;) {
    if (before.payload() != 0) {
      if (replace(before, before.word - WaitState::kOne, permit_order::kTake, list_order::kGuess)) return false;
    } else if (before.is_locked()) {
      spin.once();
      before.word = word_.load(list_order::kGuess);
    } else if (replace(before, before.word | WaitState::kLocked, list_order::kLock, list_order::kGuess)) {
      break;
    }
  }
  if (waiter.urgent) {
    list_.push_front(waiter);
  } else {
    list_.push_back(waiter);
  }
  unlock(before, list_order::kUnlock);
  return true;
}

bool Permits::unlink(Waiter& waiter) noexcept {
  const WaitState before = lock();
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  unlock(before, list_order::kUnlock);
  return on_list;
}

void Permits::release_contended(WaitState seen) noexcept {
  if (lock_unless_added(seen, 1, permit_order::kRelease)) give(seen);
}

void Permits::hand_over(std::uint64_t count) noexcept {
  WaitState seen = WaitState::of(0);  // guess: the usual case, without a load
  if (!lock_unless_added(seen, count, permit_order::kRelease)) return;
  WakeChain owners;
  for (; count != 0 && !list_.empty(); --count) {
    Waiter& first = *list_.pop_front();
    first.owns = true;
    owners.push_back(first);
  }
  // Before the wake-ups: a woken waiter may destroy the object.
  unlock(seen, permit_order::kGive, count);
  owners.wake();
}

// Precondition: the caller owns the lock bit, and the list is not empty.
void Permits::give(WaitState before) noexcept {
  Waiter* first = list_.pop_front();
  const bool hand_off = first->urgent;
  first->owns = hand_off;
  // Before the wake-up: the woken waiter may destroy the object.
  unlock(before, permit_order::kGive, hand_off ? 0 : 1);
  wake(*first);
}

}  // namespace jobs::inline JOBS_ABI::detail
