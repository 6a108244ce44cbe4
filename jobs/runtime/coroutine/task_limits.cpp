// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/task_limits.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

// An external participant keeps no deadlines.
bool TaskTimer::can_pin() const noexcept { return !this_context()->is_external(); }

bool TaskTimer::link() noexcept {
  worker_ = this_context()->worker()->index();
  this_thread().host->arm(deadline_);
  return true;
}

// On the worker that has armed the deadline, as pass(). So the two never run at the same time.
bool TaskTimer::unlink_self() noexcept {
  if (!deadline_.armed) return false;
  this_thread().host->disarm(deadline_);
  return true;
}

void TaskTimer::pass(CallAtDeadline& deadline) noexcept {
  TaskTimer& timer = static_cast<Passing&>(deadline).timer;
  if (claim_waiter(timer)) wake(timer);
}

// An affine job: a retired worker runs it, too.
void TaskTimer::submit(Shared& shared, Job& job) noexcept {
  shared.resubmit_with_options(job, message_, {.on = jobs::worker(worker_)});
}

bool TaskStop::try_now() noexcept {
  EventCore* const core = event_.get();
  return core != nullptr && core->is_open();
}

bool TaskStop::link() noexcept {
  EventCore* const core = event_.get();
  if (core == nullptr || core->link(*this)) return true;
  static_cast<void>(selection->claim(*this));
  return false;
}

bool TaskStop::unlink_self() noexcept {
  EventCore* const core = event_.get();
  return core == nullptr || core->unlink(*this);
}

}  // namespace jobs::inline JOBS_ABI::detail
