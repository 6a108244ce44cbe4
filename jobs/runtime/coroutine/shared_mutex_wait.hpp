// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedMutexWait: the wait of a coroutine for a SharedMutex, with the lock object of a writer or
// of a reader as its result.
//
// Owner: the frame of the coroutine. The worker that runs the coroutine calls the functions; any
// thread may unlock the mutex.
//
// RwLockCore hands its permits over in strict order, so a woken waiter has its permit, and the job
// resumes the coroutine at once. The mutex has no writer in its LockOwner meanwhile, as a Mutex
// that a task owns has no owner (mutex_wait.hpp).
#pragma once

#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/sync/core/rw_lock_core.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "jobs/sync/task_shared_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The part that does not depend on the kind of the lock.
class JOBS_EXPORT RwLockWait : public TaskWait {
 public:
  bool await_ready() noexcept { return core_.try_acquire(claim_.kind); }

 protected:
  RwLockWait(RwLockCore& core, RwLockCore::Kind kind) noexcept
      : core_(core), claim_(TaskHome::fiber(), kind) {
    receive(claim_);
  }
  ~RwLockWait() = default;

 private:
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kSharedMutex, &core_}; }

  RwLockCore& core_;
  RwLockCore::Claim claim_;
};

// Lock: TaskReaderLock or TaskWriterLock.
template <class Lock>
class SharedMutexWait final : public RwLockWait {
 public:
  explicit SharedMutexWait(SharedMutex* mutex) noexcept
      : RwLockWait(Lock::core_of(*mutex), Lock::kKind), mutex_(*mutex) {}

  Lock await_resume() noexcept { return Lock(mutex_); }

 private:
  SharedMutex& mutex_;
};

}  // namespace jobs::inline JOBS_ABI::detail
