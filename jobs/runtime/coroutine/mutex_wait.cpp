// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/mutex_wait.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool MutexWait::link() noexcept {
  SemaphoreCore& core = TaskLock::core_of(mutex_);
  for (;;) {
    if (has_waited_) {
      if (waiter_.owns || core.try_acquire()) return true;
      waiter_.urgent = true;
    }
    has_waited_ = true;
    link_again(true);
    expect_wakeup();
    if (!core.link(waiter_)) return true;
    if (!arrive()) return false;
  }
}

bool YieldWait::link() noexcept {
  submit_from_outside();
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
