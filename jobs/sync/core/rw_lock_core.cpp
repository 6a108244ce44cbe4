// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/rw_lock_core.hpp"

#include "jobs/base/deadline.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool RwLockCore::try_acquire(Kind kind) noexcept {
  Spin spin;
  WaitState seen = WaitState::of(0);  // guess: the usual case, without a load
  for (;;) {
    if (!admits(seen, kind)) return false;
    if (seen.is_locked()) {  // a list operation is under way: the waiters flag is not exact
      spin.once();
      seen.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(seen, seen.word + WaitState::of(units(kind)).word, rw_lock_order::kTake,
                       wait_queue_order::kGuess)) {
      return true;
    }
  }
}

WaitStatus RwLockCore::acquire(Kind kind, WaitLimit limit) {
  if (try_acquire(kind)) return WaitStatus::kOk;
  if (limit.deadline == kPoll) return WaitStatus::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Claim self(thread.host().current(), kind);
  if (!link(self)) return WaitStatus::kOk;
  return throw_if_interrupted(
      thread.host(), park(thread.host(), *this, self, limit, {WaitKind::kSharedMutex, this}));
}

bool RwLockCore::link(Claim& claim) noexcept {
  Spin spin;
  WaitState before{word_.load(wait_queue_order::kGuess)};
  for (;;) {
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(wait_queue_order::kGuess);
    } else if (admits(before, claim.kind)) {
      if (replace(before, before.word + WaitState::of(units(claim.kind)).word, rw_lock_order::kTake,
                  wait_queue_order::kGuess))
        return false;
    } else if (replace(before, before.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      break;
    }
  }
  list_.push_back(claim);
  unlock(before, wait_queue_order::kUnlock);
  return true;
}

bool RwLockCore::unlink(Waiter& waiter) noexcept {
  const WaitState before = lock();
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  unlock_and_transfer(before, 0);  // readers may be queued behind a writer that gives up
  return on_list;
}

void RwLockCore::release(Kind kind) noexcept {
  const std::uint64_t units_back = units(kind);
  Spin spin;
  WaitState seen = WaitState::of(units_back);  // guess: the usual case, without a load
  for (;;) {
    if (seen.flags() == 0 || seen.payload() != units_back) {
      if (replace(seen, seen.word - WaitState::of(units_back).word, rw_lock_order::kRelease,
                  wait_queue_order::kGuess))
        return;
    } else if (seen.is_locked()) {
      spin.once();
      seen.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(seen, seen.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      return unlock_and_transfer(seen, units_back);
    }
  }
}

// Precondition: the caller owns the lock bit. `released` is 0, or the units of the caller, which
// are the last permits in use.
void RwLockCore::unlock_and_transfer(WaitState before, std::uint64_t released) noexcept {
  const bool is_free = released != 0;
  const bool is_shared = !is_free && !is_exclusive(before);
  std::uint64_t transferred = 0;
  WakeChain owners;
  while (Waiter* first = list_.front()) {
    const Kind kind = static_cast<Claim*>(first)->kind;  // the list contains claims only
    if (kind == Kind::kExclusive ? !is_free || transferred != 0 : !is_free && !is_shared) break;
    list_.remove(*first);
    owners.push_back(*first);
    transferred += units(kind);
    if (kind == Kind::kExclusive) break;
  }
  // Before the wake-ups: a woken waiter may destroy the object.
  unlock(before, rw_lock_order::kTransfer, transferred - released);
  owners.wake();
}

}  // namespace jobs::inline JOBS_ABI::detail
