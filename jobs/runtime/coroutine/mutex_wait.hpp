// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PermitWait: the wait of a coroutine for the permit of a lock that may be overtaken. MutexWait:
// the wait for a Mutex. YieldWait: a turn of other jobs. They are waits without alternatives.
//
// Owner: the frame of the coroutine. The worker that runs the coroutine calls the functions; any
// thread may unlock the mutex.
//
// Protocol, as SemaphoreCore::contend() has it for a fiber: a woken waiter tries to lock. If a
// running thread has overtaken it, the waiter links itself again, first in the list, and the next
// unlock() hands the mutex to it. Here the job of the coroutine makes the attempt, before it
// resumes the coroutine.
//
// The mutex has no LockOwner meanwhile, because no fiber owns it. So a fiber that waits for it does
// not know whether it waits for itself, and unlock() by a fiber is refused.
#pragma once

#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/task_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT PermitWait : public TaskWait {
 protected:
  // Acquires the permit, as link(). The first call links `waiter`, unless the wait has begun
  // elsewhere; later calls follow a wake-up.
  bool contend(SemaphoreCore& core, Waiter& waiter) noexcept;
  // The waiter has waited on another list, whose granter moves it to that of the permit.
  void begun_elsewhere() noexcept { was_woken_ = true; }

  PermitWait() noexcept = default;
  ~PermitWait() = default;

 private:
  bool was_woken_ = false;
};

class JOBS_EXPORT MutexWait final : public PermitWait {
 public:
  explicit MutexWait(Mutex& mutex) noexcept : mutex_(mutex), waiter_(TaskHome::fiber()) {
    receive(waiter_);
  }

  bool await_ready() noexcept { return TaskLock::core_of(mutex_).try_acquire(); }
  TaskLock await_resume() noexcept { return TaskLock(mutex_); }

 private:
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kMutex, &mutex_}; }

  Mutex& mutex_;
  Waiter waiter_;
};

class JOBS_EXPORT YieldWait final : public TaskWait {
 public:
  bool await_ready() const noexcept { return false; }
  void await_resume() const noexcept {}

 private:
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {}; }
};

}  // namespace jobs::inline JOBS_ABI::detail
