// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/semaphore_core.hpp"

#include "jobs/base/deadline.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

#if defined(JOBS_MODEL)
constexpr int kMinPauses = 1, kMaxPauses = 1;  // more attempts show nothing new
#else
constexpr int kMinPauses = 4, kMaxPauses = 256;  // one pause takes about 40 ns
#endif

}  // namespace

bool SemaphoreCore::try_acquire_spinning(const LockOwner& owner) noexcept {
  if (!owner.is_on_other_host()) return false;
  for (int pauses = kMinPauses; pauses <= kMaxPauses; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) cpu_relax();
    if (WaitState{word_.load(wait_queue_order::kGuess)}.payload() != 0 && try_acquire())
      return true;
  }
  return false;
}

WaitStatus SemaphoreCore::acquire(WaitLimit limit, WaitKind kind, const LockOwner* owner) {
  if (try_acquire()) return WaitStatus::kOk;
  if (limit.deadline == kPoll) return WaitStatus::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  return throw_if_interrupted(thread.host(), contend(thread.host(), self, limit, kind, owner));
}

WaitStatus SemaphoreCore::contend(FiberHost& host, Waiter& self, WaitLimit limit, WaitKind kind,
                                  const LockOwner* owner) noexcept {
  while (link(self)) {
    const WaitStatus status = park(host, *this, self, limit, {kind, this});
    if (status != WaitStatus::kOk) return status;
    if (self.owns || try_acquire() || (owner != nullptr && try_acquire_spinning(*owner)))
      return WaitStatus::kOk;
    self.urgent = true;
  }
  return WaitStatus::kOk;
}

bool SemaphoreCore::link(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(wait_queue_order::kGuess)};
  for (;;) {
    if (before.payload() != 0) {
      if (replace(before, before.word - WaitState::kOne, semaphore_order::kTake,
                  wait_queue_order::kGuess))
        return false;
    } else if (before.is_locked()) {
      spin.once();
      before.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(before, before.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      break;
    }
  }
  if (waiter.urgent) {
    list_.push_front(waiter);
  } else {
    list_.push_back(waiter);
  }
  unlock(before, wait_queue_order::kUnlock);
  return true;
}

bool SemaphoreCore::unlink(Waiter& waiter) noexcept {
  const WaitState before = lock();
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  unlock(before, wait_queue_order::kUnlock);
  return on_list;
}

// Of a Mutex, which begins with its core, this is the end of a hold that fibers wait for.
void SemaphoreCore::release_contended(WaitState seen) noexcept {
  if (WaitObserver* const observer = wait_observer()) [[unlikely]]
    observer->on_unlock(this);
  if (lock_unless_added(seen, 1, semaphore_order::kRelease)) release_first(seen);
}

void SemaphoreCore::release_fifo(std::uint64_t count) noexcept {
  WaitState seen = WaitState::of(0);  // guess: the usual case, without a load
  if (!lock_unless_added(seen, count, semaphore_order::kRelease)) return;
  WakeChain owners;
  for (; count != 0; --count) {
    Waiter* const first = list_.pop_claimed();
    if (first == nullptr) break;  // the remaining permits are free
    first->owns = true;
    owners.push_back(*first);
  }
  // Before the wake-ups: a woken waiter may destroy the object.
  unlock(seen, semaphore_order::kTransfer, count);
  owners.wake();
}

// Precondition: the caller owns the lock bit, and the list is not empty.
void SemaphoreCore::release_first(WaitState before) noexcept {
  Waiter* first = list_.pop_front();
  const bool hand_off = first->urgent;
  first->owns = hand_off;
  // Before the wake-up: the woken waiter may destroy the object.
  unlock(before, semaphore_order::kTransfer, hand_off ? 0 : 1);
  wake(*first);
}

}  // namespace jobs::inline JOBS_ABI::detail
