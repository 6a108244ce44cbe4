// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConditionWait: the wait of a coroutine for a notification of a ConditionVariable, with a
// TaskLock. LimitedConditionWait: until a deadline or a stop.
//
// Owner: the frame of the coroutine. The worker that runs the coroutine calls the functions; any
// thread may notify, and unlock the mutex.
//
// Protocol, as ConditionVariable::wait_before() has it for a fiber:
//   step 1  After the coroutine has suspended, its job links the waiter to the condition variable,
//           and then unlocks the mutex. The TaskLock keeps its mutex meanwhile: no other code of
//           the task runs.
//   step 2  The notifier moves the waiter to the list of the mutex, or takes the free mutex for it.
//   step 3  The owner of the mutex wakes the waiter, which contends as a MutexWait does.
//
// A limit ends the wait for the notification alone (lock_limits.hpp). Then the job of the coroutine
// withdraws the limits, and waits for the mutex without a limit, behind the present waiters.
//
// A notification between the two parts of step 1 finds the waiter; its wake-up finds a reason of
// the publication left, so that the job of step 1 continues with the coroutine. After the unlock,
// the job accesses neither the condition variable nor the mutex, unless it was woken.
#pragma once

#include <stop_token>

#include "jobs/runtime/coroutine/lock_limits.hpp"
#include "jobs/runtime/coroutine/mutex_wait.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/core/cond_var_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT ConditionWait : public PermitWait {
 public:
  // Aborts if `lock` owns no mutex.
  ConditionWait(ConditionVariable* condition, TaskLock* lock) noexcept;

  bool await_ready() const noexcept { return false; }
  void await_resume() const noexcept {}

 protected:
  CondVarQueue& list() noexcept { return condition_.list_; }
  Waiter& waiter() noexcept { return waiter_; }

 private:
  bool link() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kConditionVariable, &condition_}; }
  static Mutex& mutex_of(const ConditionVariable& condition, const TaskLock& lock) noexcept;

  ConditionVariable& condition_;
  CondVarQueue::Notifiable waiter_;
  bool is_linked_ = false;
};

class JOBS_EXPORT LimitedConditionWait final : public ConditionWait {
 public:
  LimitedConditionWait(ConditionVariable* condition, TaskLock* lock, os::Nanoseconds deadline,
                       const std::stop_token& stop)
      : ConditionWait(condition, lock), limits_(list(), waiter(), deadline, stop) {
    limit(limits_);
  }

  // Returns false if a limit came before the notification.
  bool await_resume() const noexcept { return !limits_.has_ended(); }

 private:
  LockLimits limits_;
};

}  // namespace jobs::inline JOBS_ABI::detail
