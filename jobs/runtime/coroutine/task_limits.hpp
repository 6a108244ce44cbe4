// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The limits of the wait of a coroutine, as alternatives of its selection. TaskTimer: a deadline.
// TaskStop: a stop token.
//
// Owner: the frame of the coroutine. Any thread may grant the other alternatives of the selection.
//
// A deadline belongs to the worker that arms it. Therefore the TaskTimer pins its wait: the
// coroutine is resumed on that worker, which disarms the deadline.
#pragma once

#include <stop_token>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT TaskTimer final : public Alternative, public TaskPin {
 public:
  explicit TaskTimer(os::Nanoseconds when) noexcept : deadline_(*this, when) {}

  // The deadline has not passed before the wait. A past deadline passes during the wait.
  bool try_now() noexcept override { return false; }
  bool link() noexcept override;
  bool unlink_self() noexcept override;
  WaitSite site() const noexcept override { return {WaitKind::kSleep, nullptr}; }

  bool can_pin() const noexcept override;
  void submit(Shared& shared, Job& job) noexcept override;

 private:
  struct Passing final : CallAtDeadline {
    Passing(TaskTimer& owner, os::Nanoseconds when) noexcept
        : CallAtDeadline(&TaskTimer::pass, when), timer(owner) {}
    TaskTimer& timer;
  };

  static void pass(CallAtDeadline& deadline) noexcept;

  Passing deadline_;
  JobMessage message_;
  unsigned worker_ = 0;  // that has armed the deadline
};

class JOBS_EXPORT TaskStop final : public Alternative {
 public:
  explicit TaskStop(const std::stop_token& token) : event_(token) {}

  bool try_now() noexcept override;
  bool link() noexcept override;
  bool unlink_self() noexcept override;

 private:
  StopEvent event_;
};

}  // namespace jobs::inline JOBS_ABI::detail
