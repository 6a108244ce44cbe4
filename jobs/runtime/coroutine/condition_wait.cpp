// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/condition_wait.hpp"

#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

Mutex& ConditionWait::mutex_of(const ConditionVariable& condition, const TaskLock& lock) noexcept {
  if (!lock.owns_lock())
    contract_violation("ConditionVariable", &condition, "wait() with a lock that is not owned");
  return *lock.mutex_;
}

ConditionWait::ConditionWait(ConditionVariable* condition, TaskLock* lock) noexcept
    : condition_(*condition),
      // In braces, the check by mutex_of() comes before the last argument.
      waiter_{TaskHome::fiber(), TaskLock::core_of(mutex_of(*condition, *lock)),
              TaskLock::owner_of(*lock->mutex_)} {
  receive(waiter_);
}

bool ConditionWait::link() noexcept {
  if (!is_linked_) {
    is_linked_ = true;
    begun_elsewhere(true);
    link_again(true);
    expect_wakeup();
    SemaphoreCore& core = waiter_.core;
    condition_.list_.link(waiter_);
    core.release();
    const bool is_over = limits() != nullptr && limits()->linked();
    if (!is_over && !arrive()) return false;
  }
  if (limits() != nullptr) {
    if (!limits()->finish()) begun_elsewhere(false);
    unlimit();
  }
  return contend(waiter_.core, waiter_);
}

}  // namespace jobs::inline JOBS_ABI::detail
