// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PermitWait: the wait of a coroutine for the permit of a lock that may be overtaken. MutexWait:
// the wait for a Mutex. LimitedMutexWait: until a deadline or a stop (lock_limits.hpp). YieldWait:
// a turn of other jobs. They are waits without alternatives.
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

#include <stop_token>

#include "jobs/runtime/coroutine/lock_limits.hpp"
#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/task_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT PermitWait : public TaskWait {
 protected:
  // Acquires the permit, as link(). The first call links `waiter`, unless the wait has begun
  // elsewhere; later calls follow a wake-up.
  bool contend(SemaphoreCore& core, Waiter& waiter) noexcept;
  // Whether the waiter has waited on another list, whose granter moves it to that of the permit.
  void begun_elsewhere(bool is_moved) noexcept { was_woken_ = is_moved; }

  // The constructor of a derived class calls it.
  void limit(LockLimits& limits) noexcept {
    limits_ = &limits;
    choose({}, limits.pin());
  }
  LockLimits* limits() const noexcept { return limits_; }
  // After LockLimits::finish(). Any worker may resume the coroutine.
  void unlimit() noexcept {
    limits_ = nullptr;
    choose({});
  }

  PermitWait() noexcept = default;
  ~PermitWait() = default;

 private:
  LockLimits* limits_ = nullptr;  // null: the wait has no limit
  bool was_woken_ = false;
};

class JOBS_EXPORT MutexWait : public PermitWait {
 public:
  explicit MutexWait(Mutex& mutex) noexcept : mutex_(mutex), waiter_(TaskHome::fiber()) {
    receive(waiter_);
  }

  bool await_ready() noexcept { return TaskLock::core_of(mutex_).try_acquire(); }
  TaskLock await_resume() noexcept { return TaskLock(&mutex_); }

 protected:
  TaskLock lock_if(bool is_owner) noexcept { return TaskLock(is_owner ? &mutex_ : nullptr); }
  Waiter& waiter() noexcept { return waiter_; }

 private:
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kMutex, &mutex_}; }

  Mutex& mutex_;
  Waiter waiter_;
};

// The result owns no mutex if a limit has ended the wait.
class JOBS_EXPORT LimitedMutexWait final : public MutexWait {
 public:
  LimitedMutexWait(Mutex* mutex, os::Nanoseconds deadline, const std::stop_token& stop)
      : MutexWait(*mutex), limits_(TaskLock::core_of(*mutex), waiter(), deadline, stop) {
    limit(limits_);
  }

  bool await_ready() noexcept { return MutexWait::await_ready() || limits_.end_poll(); }
  TaskLock await_resume() noexcept { return lock_if(limits_.finish()); }

 private:
  LockLimits limits_;
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
