// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/shared_mutex.hpp"

#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

void SharedMutex::acquire_contended(Kind kind) {
  check_not_the_writer();
  core_.acquire(kind, {});
}

bool SharedMutex::acquire_before(Kind kind, os::Nanoseconds deadline, const std::stop_token& stop) {
  if (core_.try_acquire(kind)) return true;
  if (deadline == detail::kPoll) return false;
  check_not_the_writer();
  detail::StopEvent stop_event(stop);
  return core_.acquire(kind, {.deadline = deadline, .stop = stop_event.get()}) ==
         detail::WaitStatus::kOk;
}

// The thread-safety analysis cannot derive that a permit is the lock.
bool SharedMutex::lock_before(os::Nanoseconds deadline,
                              const std::stop_token& stop) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  if (!acquire_before(Kind::kExclusive, deadline, stop)) return false;
  writer_.set_self();
  return true;
}

bool SharedMutex::lock_shared_before(os::Nanoseconds deadline,
                                     const std::stop_token& stop) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  return acquire_before(Kind::kShared, deadline, stop);
}

void SharedMutex::check_not_the_writer() const noexcept {
  if (writer_.is_self())
    detail::contract_violation("SharedMutex", this, "locked again by the writer that owns it");
}
void SharedMutex::not_the_writer() const noexcept {
  detail::contract_violation("SharedMutex", this,
                             "unlock() by a fiber or thread that does not own it");
}
void SharedMutex::no_reader() const noexcept {
  detail::contract_violation("SharedMutex", this, "unlock_shared() without a reader");
}

void SharedMutex::destroyed_in_use() const noexcept {
  detail::contract_violation(
      "SharedMutex", this,
      core_.state().flags() == 0 ? "destroyed while locked" : "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
