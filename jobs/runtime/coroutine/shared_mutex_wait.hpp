// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedMutexWait: the wait of a coroutine for a SharedMutex, with the lock object of a writer or
// of a reader as its result. LimitedSharedMutexWait: until a deadline or a stop (lock_limits.hpp).
//
// Owner: the frame of the coroutine. The worker that runs the coroutine calls the functions; any
// thread may unlock the mutex.
//
// RwLockCore hands its permits over in strict order, so a woken waiter has its permit, and the job
// resumes the coroutine at once. The mutex has no writer in its LockOwner meanwhile, as a Mutex
// that a task owns has no owner (mutex_wait.hpp).
#pragma once

#include <stop_token>

#include "jobs/runtime/coroutine/lock_limits.hpp"
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

  // The constructor of a derived class calls it.
  void limit(LockLimits& limits) noexcept {
    limits_ = &limits;
    choose({}, limits.pin());
  }
  RwLockCore& core() noexcept { return core_; }
  Waiter& waiter() noexcept { return claim_; }

 private:
  // After the link. Whether a limit has ended the wait.
  bool is_over() noexcept { return limits_ != nullptr && limits_->linked(); }
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kSharedMutex, &core_}; }

  RwLockCore& core_;
  RwLockCore::Claim claim_;
  LockLimits* limits_ = nullptr;  // null: the wait has no limit
};

// Lock: TaskReaderLock or TaskWriterLock.
template <class Lock>
class SharedMutexWait : public RwLockWait {
 public:
  explicit SharedMutexWait(SharedMutex* mutex) noexcept
      : RwLockWait(Lock::core_of(*mutex), Lock::kKind), mutex_(*mutex) {}

  Lock await_resume() noexcept { return Lock(&mutex_); }

 protected:
  Lock lock_if(bool is_owner) noexcept { return Lock(is_owner ? &mutex_ : nullptr); }

 private:
  SharedMutex& mutex_;
};

// The result owns no mutex if a limit has ended the wait.
template <class Lock>
class LimitedSharedMutexWait final : public SharedMutexWait<Lock> {
 public:
  LimitedSharedMutexWait(SharedMutex* mutex, os::Nanoseconds deadline, const std::stop_token& stop)
      : SharedMutexWait<Lock>(mutex), limits_(this->core(), this->waiter(), deadline, stop) {
    this->limit(limits_);
  }

  bool await_ready() noexcept { return RwLockWait::await_ready() || limits_.end_poll(); }
  Lock await_resume() noexcept { return this->lock_if(limits_.finish()); }

 private:
  LockLimits limits_;
};

}  // namespace jobs::inline JOBS_ABI::detail
