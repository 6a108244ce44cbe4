// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

void ThreadHost::arm(Deadline& deadline) noexcept {
  deadline.armed = true;
  deadline_ = &deadline;
}

void ThreadHost::disarm(Deadline& deadline) noexcept {
  if (!deadline.armed) return;
  deadline.armed = false;
  deadline_ = nullptr;
}

void ThreadHost::switch_away() noexcept {
  while (!has_ready()) {
    Wakeup* message = inbox_.drain();
    if (message == nullptr) {
      if (inbox_.park(deadline_ == nullptr ? os::kNever : deadline_->at)) continue;
      deliver(fiber_, kTimeout);
      disarm(*deadline_);
    }
    while (message != nullptr) {
      Wakeup* next = message->next;
      deliver(fiber_, message->signal);
      message = next;
    }
  }
  pop_ready();
}

}  // namespace jobs::inline JOBS_ABI::detail
