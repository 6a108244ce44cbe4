// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/condition_variable.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/stop_event.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI {

// std::unique_lock unlocks and locks the mutex, and the thread-safety analysis does not follow it.
bool ConditionVariable::wait_before(std::unique_lock<Mutex>& lock, os::Nanoseconds deadline,
                                    const std::stop_token& stop) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  if (!lock.owns_lock())
    detail::contract_violation("ConditionVariable", this, "wait() with a lock that is not owned");
  Mutex& mutex = *lock.mutex();
  detail::StopEvent stop_event(stop);
  detail::WaitingThread thread;
  thread.host().prepare_wait();  // before the unlock: nothing has changed if it throws
  detail::CondVarQueue::Notifiable self(thread.host().current(), mutex.core_, mutex.owner_);
  list_.link(self);
  mutex.unlock();
  const detail::WaitStatus status =
      list_.await(thread.host(), self, {.deadline = deadline, .stop = stop_event.get()});
  mutex.owner_.set_self();
  detail::throw_if_interrupted(thread.host(), status);
  return status == detail::WaitStatus::kOk;
}

void ConditionVariable::destroyed_in_use() const noexcept {
  detail::contract_violation("ConditionVariable", this, "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
