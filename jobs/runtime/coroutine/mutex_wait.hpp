// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// MutexWait: the wait of a coroutine for a Mutex. YieldWait: a turn of other jobs. Both are waits
// without alternatives.
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

class JOBS_EXPORT MutexWait final : public TaskWait {
 public:
  explicit MutexWait(Mutex& mutex) noexcept : mutex_(mutex), waiter_(TaskHome::fiber()) {
    receive(waiter_);
  }

  bool await_ready() noexcept { return TaskLock::core_of(mutex_).try_acquire(); }
  TaskLock await_resume() noexcept { return TaskLock(mutex_); }

 private:
  bool link() noexcept override;

  Mutex& mutex_;
  Waiter waiter_;
  bool has_waited_ = false;
};

class JOBS_EXPORT YieldWait final : public TaskWait {
 public:
  bool await_ready() const noexcept { return false; }
  void await_resume() const noexcept {}

 private:
  bool link() noexcept override;
};

}  // namespace jobs::inline JOBS_ABI::detail
