// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/diagnostics/waiting_tasks.hpp"

namespace jobs::inline JOBS_ABI::detail {

constinit WaitingTasks WaitingTasks::only_;

void WaitingTasks::add(WaitingTask& task) noexcept {
  const std::scoped_lock lock(lock_);
  task.previous_ = nullptr;
  task.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &task;
  first_ = &task;
}

void WaitingTasks::remove(WaitingTask& task) noexcept {
  const std::scoped_lock lock(lock_);
  (task.previous_ != nullptr ? task.previous_->next_ : first_) = task.next_;
  if (task.next_ != nullptr) task.next_->previous_ = task.previous_;
}

void forget_waiting_tasks() noexcept { WaitingTasks::instance().forget_all(); }

}  // namespace jobs::inline JOBS_ABI::detail
