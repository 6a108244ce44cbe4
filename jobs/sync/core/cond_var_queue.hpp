// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `CondVarQueue`, a wait for a notification: the core of ConditionVariable.
//
// Owner: the ConditionVariable that contains it. Any thread may call notify_one() and
// notify_all(); the remaining members are for the thread of the waiter.
//
// A notified waiter is not woken to compete for the mutex. It moves to the list of the mutex (wait
// morphing) and wakes when it may own the mutex. A deadline acts only until the notification; after
// that, the wait is for the mutex alone.
#pragma once

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/semaphore_core.hpp"
#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT CondVarQueue : public WaitQueue {
 public:
  struct Notifiable : Waiter {
    Notifiable(FiberCore& target, SemaphoreCore& mutex_core, const LockOwner& mutex_owner)
        : Waiter(target), core(mutex_core), owner(mutex_owner) {}

    SemaphoreCore& core;
    const LockOwner& owner;
    // Guarded by the lock of the CondVarQueue. `previous` cannot replace it: after the move it
    // belongs to the list of the mutex.
    Plain<bool> is_here{true};
  };

  CondVarQueue() noexcept : WaitQueue(0) {}

  // A wait has three steps: link() under the mutex, unlock of the mutex, await(). A notification
  // between the steps finds the waiter.
  void link(Notifiable& waiter) noexcept;
  // Afterwards the caller owns the permit of the mutex again. Each result except kOk means that it
  // was not notified.
  WaitStatus await(FiberHost& host, Notifiable& self, WaitLimit limit) noexcept;

  // Notify the oldest waiter, or all waiters. Each call finds the waiters that linked
  // themselves before the caller last owned their mutex.
  void notify_one() noexcept { notify(false); }
  void notify_all() noexcept { notify(true); }

  // For park(). Returns false if the waiter has been notified.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  void notify(bool all) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
