// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/barrier_core.hpp"

#include "jobs/base/deadline.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

void BarrierCore::end_phase(std::uint64_t expected) noexcept {
  const std::uint64_t step = kOnePhase + expected;
  WaitState seen = state();
  if (!lock_unless_added(seen, step, barrier_order::kEnd)) return;
  Waiter* first = list_.take_all();
  // Before the wake-ups: a woken waiter may destroy the object.
  unlock(seen, barrier_order::kEnd, step);
  wake_all(first);
}

WaitStatus BarrierCore::wait(std::uint64_t phase, WaitLimit limit) {
  if (has_ended(phase)) return WaitStatus::kOk;
  if (limit.deadline == kPoll) return WaitStatus::kTimedOut;
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  if (!link(self, phase)) return WaitStatus::kOk;
  return throw_if_interrupted(thread.host(),
                              park(thread.host(), *this, self, limit, {WaitKind::kBarrier, this}));
}

bool BarrierCore::link(Waiter& waiter, std::uint64_t phase) noexcept {
  Spin spin;
  WaitState before{word_.load(barrier_order::kLook)};
  for (;;) {
    if (phase_of(before) != phase) return false;
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(barrier_order::kLook);
    } else if (replace(before, before.word | WaitState::kLocked, wait_queue_order::kLock,
                       barrier_order::kLook)) {
      break;
    }
  }
  list_.push_back(waiter);
  unlock(before, wait_queue_order::kUnlock);
  return true;
}

bool BarrierCore::unlink(Waiter& waiter) noexcept {
  const WaitState before = lock();
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  unlock(before, wait_queue_order::kUnlock);
  return on_list;
}

}  // namespace jobs::inline JOBS_ABI::detail
