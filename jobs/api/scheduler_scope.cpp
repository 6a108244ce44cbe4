// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerScope: the stack of current schedulers of an external thread. The thread state points to
// the innermost scope (ThreadState::scope); default_shared() reads it.
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

SchedulerScope::SchedulerScope(Scheduler& scheduler)
    : scope_{.shared = *scheduler.shared_, .outer = detail::this_thread().scope} {
  detail::ThreadState& thread = detail::this_thread();
  if (thread.context != nullptr) {
    throw Error(ErrorCode::kBadArgument,
                "SchedulerScope: this thread is a worker, or runs a loop of its own");
  }
  scope_.shared.check_open();
  scope_.shared.enter_scope();
  thread.scope = &scope_;
}

SchedulerScope::~SchedulerScope() {
  detail::ThreadState& thread = detail::this_thread();
  if (thread.scope != &scope_) {
    detail::contract_violation("SchedulerScope", this,
                               "ended before an inner scope, or on another thread");
  }
  if (thread.context != nullptr)
    detail::contract_violation("SchedulerScope", this, "ended inside of a job or loop");
  thread.scope = scope_.outer;
  thread.help_counter = nullptr;  // A wait after the scope starts no default scheduler.
  scope_.shared.leave_scope();
}

ThreadBinding Scheduler::bind_current_thread() {
  return {*shared_, detail::SchedulerCore::of(*shared_).bind_current_thread()};
}

ThreadBinding::~ThreadBinding() {
  detail::SchedulerCore::of(shared_).unbind_current_thread(index_);
}

}  // namespace jobs::inline JOBS_ABI
