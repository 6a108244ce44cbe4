// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/cond_var_queue.hpp"

#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"

namespace jobs::inline JOBS_ABI::detail {

void CondVarQueue::link(Notifiable& waiter) noexcept {
  const WaitState before = lock();
  list_.push_back(waiter);
  unlock(before, wait_queue_order::kUnlock);
}

bool CondVarQueue::unlink(Waiter& waiter) noexcept {
  auto& self = static_cast<Notifiable&>(waiter);  // the list contains Notifiables only
  const WaitState before = lock();
  const bool is_here = self.is_here;
  if (is_here) list_.remove(self);
  unlock(before, wait_queue_order::kUnlock);
  return is_here;
}

WaitStatus CondVarQueue::await(FiberHost& host, Notifiable& self, WaitLimit limit) noexcept {
  const WaitStatus status = park(host, *this, self, limit, {WaitKind::kConditionVariable, this});
  if (self.owns) return status;
  // A wait neither returns nor throws without the mutex.
  const InterruptShield shield(host.current());
  // Woken from the list of the mutex, to try once.
  if (status == WaitStatus::kOk) {
    if (self.core.try_acquire()) return status;
    self.urgent = true;
  }
  self.core.contend(host, self, {}, WaitKind::kMutex, &self.owner);
  return status;
}

void CondVarQueue::notify(bool all) noexcept {
  // Exact enough: a waiter linked itself before it unlocked the mutex that the notifier has owned
  // since.
  if (!state().has_waiters()) return;
  const WaitState before = lock();
  Waiter* first = all ? list_.take_all() : list_.pop_front();
  if (first != nullptr && !all) first->next = nullptr;
  for (Waiter* waiter = first; waiter != nullptr; waiter = WaitList::next_of(*waiter)) {
    static_cast<Notifiable*>(waiter)->is_here = false;
  }
  // The last access to this list: after it, the waiters belong to their mutex.
  unlock(before, wait_queue_order::kUnlock);

  while (first != nullptr) {
    Waiter& waiter = *first;
    first = WaitList::next_of(waiter);
    // If the mutex was free, link() has taken it on behalf of the waiter.
    if (!static_cast<Notifiable&>(waiter).core.link(waiter)) {
      waiter.owns = true;
      wake(waiter);
    }
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
