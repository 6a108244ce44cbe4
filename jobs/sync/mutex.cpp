// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/mutex.hpp"

#include "jobs/fiber/ready_order.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// The caller is about to wait for the lock. If it is a fiber with a rank, lets the lock owner run
// soon.
void lift(const detail::LockOwner& owner) noexcept {
  const detail::LiftOwner lift = detail::lift_lock_owner.load(std::memory_order_relaxed);
  if (lift == nullptr) [[likely]]
    return;
  const void* const fiber = owner.owner();
  lift(fiber, owner.home());
}

// Reports a wait for a mutex to a recorder of traces, if there is one.
class ObservedWait {
 public:
  ObservedWait(const Mutex& mutex, const void* owner) noexcept : mutex_(mutex) {
    if (detail::WaitObserver* const observer = detail::wait_observer()) [[unlikely]]
      observer->on_lock_wait(&mutex, owner);
  }
  ~ObservedWait() {  // also if the wait throws
    if (detail::WaitObserver* const observer = detail::wait_observer()) [[unlikely]]
      observer->on_lock_wait_end(&mutex_, is_owner);
  }
  ObservedWait(const ObservedWait&) = delete;
  ObservedWait& operator=(const ObservedWait&) = delete;

  bool is_owner = false;

 private:
  const Mutex& mutex_;
};

}  // namespace

void Mutex::lock_contended() {
  if (owner_.is_self()) locked_twice();
  ObservedWait wait(*this, owner_.owner());
  if (!core_.try_acquire_spinning(owner_)) {
    lift(owner_);
    core_.acquire({}, WaitKind::kMutex, &owner_);
  }
  wait.is_owner = true;
}

// The thread-safety analysis cannot derive that a permit is the lock.
bool Mutex::lock_before(os::Nanoseconds deadline,
                        const std::stop_token& stop) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  if (!core_.try_acquire()) {
    if (deadline == detail::kPoll) return false;
    if (owner_.is_self()) locked_twice();
    ObservedWait wait(*this, owner_.owner());
    if (core_.try_acquire_spinning(owner_)) {
      owner_.set_self();
      return wait.is_owner = true;
    }
    lift(owner_);
    detail::StopEvent stop_event(stop);
    const detail::WaitLimit limit{.deadline = deadline, .stop = stop_event.get()};
    if (core_.acquire(limit, WaitKind::kMutex, &owner_) != detail::WaitStatus::kOk) return false;
    wait.is_owner = true;
  }
  owner_.set_self();
  return true;
}

void Mutex::locked_twice() const noexcept {
  detail::contract_violation("Mutex", this, "lock() by the fiber or thread that owns it");
}
void Mutex::not_the_owner() const noexcept {
  detail::contract_violation("Mutex", this, "unlock() by a fiber or thread that does not own it");
}

void Mutex::destroyed_in_use() const noexcept {
  detail::contract_violation(
      "Mutex", this,
      core_.state().flags() == 0 ? "destroyed while locked" : "destroyed while waited on");
}

}  // namespace jobs::inline JOBS_ABI
