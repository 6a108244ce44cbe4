// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WatchLimits: the times after which a scheduler reports a deadlock, a stall or a long shutdown.
// Each SchedulerCore owns one; it is constant.
#pragma once

#include "jobs/base/os.hpp"
#include "jobs/scheduler_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct WatchLimits {
  // Takes each limit from the options, or else from the environment.
  // Throws Error(kBadEnvironment), Error(kBadArgument).
  static WatchLimits of(const SchedulerOptions& options);
  // Returns whether the scheduler needs a watchdog.
  bool any() const noexcept { return deadlock != kOff || stall != kOff; }

  static constexpr os::Nanoseconds kOff = os::kNever;
  os::Nanoseconds deadlock = kOff;
  os::Nanoseconds stall = kOff;
  os::Nanoseconds shutdown = kOff;
};

}  // namespace jobs::inline JOBS_ABI::detail
