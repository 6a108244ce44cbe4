// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/mutex.hpp"

#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

void Mutex::lock_contended() {
  if (owner_.is_self()) locked_twice();
  if (!permits_.try_acquire_patiently(owner_)) permits_.acquire({}, WaitKind::kMutex, &owner_);
}

// The thread-safety analysis cannot derive that a permit is the lock.
bool Mutex::lock_before(os::Nanoseconds deadline, const std::stop_token& stop) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  if (!permits_.try_acquire()) {
    if (deadline == detail::kPoll) return false;
    if (owner_.is_self()) locked_twice();
    if (permits_.try_acquire_patiently(owner_)) {
      owner_.set_self();
      return true;
    }
    detail::StopGate stop_gate(stop);
    const detail::Until until{.deadline = deadline, .stop = stop_gate.get()};
    if (permits_.acquire(until, WaitKind::kMutex, &owner_) != detail::Outcome::kOk) return false;
  }
  owner_.set_self();
  return true;
}

void Mutex::locked_twice() const noexcept {
  detail::breach("Mutex", this, "lock() by the fiber or thread that holds it");
}
void Mutex::not_the_holder() const noexcept {
  detail::breach("Mutex", this, "unlock() by a fiber or thread that does not hold it");
}

void Mutex::destroyed_in_use() const noexcept {
  detail::breach("Mutex", this, permits_.state().flags() == 0 ? "destroyed while locked" : "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
