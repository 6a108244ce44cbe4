// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/mutex_wait.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool PermitWait::contend(SemaphoreCore& core, Waiter& waiter) noexcept {
  for (;;) {
    if (was_woken_) {
      if (limits_ != nullptr && limits_->has_ended()) return true;
      if (waiter.owns || core.try_acquire()) return true;
      waiter.urgent = true;
    }
    was_woken_ = true;
    link_again(true);
    expect_wakeup();
    if (!core.link(waiter)) return true;
    if (limits_ != nullptr && limits_->linked()) return true;
    if (!arrive()) return false;
  }
}

bool MutexWait::link() noexcept { return contend(TaskLock::core_of(mutex_), waiter_); }

bool YieldWait::link() noexcept {
  submit_from_outside();
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
