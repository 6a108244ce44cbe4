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
  if (!lock.owns_lock()) detail::breach("ConditionVariable", this, "wait() with a lock that is not held");
  Mutex& mutex = *lock.mutex();
  detail::StopGate stop_gate(stop);
  detail::WaitingThread thread;
  thread.host().prepare_wait();  // before the unlock: nothing has changed if it throws
  detail::NotifyList::Notifiable self(thread.host().current(), mutex.permits_, mutex.owner_);
  list_.link(self);
  mutex.unlock();
  const detail::Outcome outcome = list_.await(thread.host(), self, {.deadline = deadline, .stop = stop_gate.get()});
  mutex.owner_.set_self();
  detail::throw_if_interrupted(thread.host(), outcome);
  return outcome == detail::Outcome::kOk;
}

void ConditionVariable::destroyed_in_use() const noexcept {
  detail::breach("ConditionVariable", this, "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
