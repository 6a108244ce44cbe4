// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/process_fork.hpp"

#include "jobs/base/os.hpp"
#include "jobs/base/process_generation.hpp"
#include "jobs/fiber/current.hpp"
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

// The thread is none of a scheduler any more. What it runs may be a job all the same: if that returns, the child would go on with
// the jobs of its parent.
void leave_scheduler() noexcept {
  ThreadState& thread = this_thread();
  if (thread.lane == nullptr && thread.host == nullptr) return;
  Worker* const worker = thread.lane != nullptr ? this_context()->worker() : nullptr;
  if (worker != nullptr && !worker->is_on_root()) worker->orphan();
  thread = {};
  thread.forked_inside = true;
}

void in_child() noexcept {
  ++fork_generation;
  leave_scheduler();
  os::renew_membarrier();
  FiberRegistry::instance().forget_all();
  CoreList::instance().forget_all();
  CoreList::instance().unlock();
  machine_lock.unlock();
  forget_default_core();
}

// From the load of the library on, so that no fork finds this half done.
[[maybe_unused]] const bool watched = (os::on_fork(&before_fork, &in_parent, &in_child), true);

}  // namespace

std::unique_lock<ThreadMutex> first_questions() noexcept { return std::unique_lock(machine_lock); }

}  // namespace jobs::inline JOBS_ABI::detail
