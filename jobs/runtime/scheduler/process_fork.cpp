// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The handlers of fork(), in the parent and in the child. The forking thread calls them.
#include "jobs/runtime/scheduler/process_fork.hpp"

#include "jobs/base/os.hpp"
#include "jobs/base/process_generation.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/diagnostics/waiting_tasks.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constinit ThreadMutex machine_lock;

void before_fork() noexcept {
  machine_lock.lock();
  CoreList::instance().lock();
}

void in_parent() noexcept {
  CoreList::instance().unlock();
  machine_lock.unlock();
}

// Detaches the thread from its scheduler. The thread may still run a job of the parent. If that job
// returned into the loop of its worker, the child would run the jobs of its parent; orphan()
// prevents it.
void leave_scheduler() noexcept {
  ThreadState& thread = this_thread();
  if (thread.context == nullptr && thread.host == nullptr) return;
  Worker* const worker = thread.context != nullptr ? this_context()->worker() : nullptr;
  if (worker != nullptr && !worker->is_on_root()) worker->orphan();
  thread = {.forked_inside = true, .scope = thread.scope};
}

void in_child() noexcept {
  this_thread().help_counter = nullptr;  // A wait starts no scheduler.
  ++process_generation;
  leave_scheduler();
  os::renew_membarrier();
  FiberRegistry::instance().forget_all();
  if (forget_waiting_tasks != nullptr) forget_waiting_tasks();
  CoreList::instance().forget_all();
  CoreList::instance().unlock();
  machine_lock.unlock();
  forget_default_core();
}

// Registers the handlers when the library is loaded, so that no fork interrupts the registration.
[[maybe_unused]] const bool kWatched = (os::on_fork(&before_fork, &in_parent, &in_child), true);

}  // namespace

std::unique_lock<ThreadMutex> lock_against_fork() noexcept {
  return std::unique_lock(machine_lock);
}

}  // namespace jobs::inline JOBS_ABI::detail
