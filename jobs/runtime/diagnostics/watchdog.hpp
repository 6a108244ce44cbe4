// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Watchdog: a thread of a scheduler, if somebody wants to know, that looks from time to time whether all have come to rest while
// fibers wait, and whether a job keeps its worker. It reads what the workers count anyway, so they pay nothing; only when all have
// been at rest for long enough does it ask them what for (inspection.hpp).
//
// At rest: every worker sleeps, and none has run a job or switched since. That is true of a healthy server too. So it asks, and
// reports only if no deadline is armed and no fiber waits for anything but fibers; what it cannot know is whether a thread, or a
// fiber of another scheduler, will wake one of them. Once for each time that all come to rest.
#pragma once

#include <chrono>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/scheduler_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// What the options say, or else the environment. Throws Error(kBadEnvironment), Error(kBadArgument).
struct WatchLimits {
  static WatchLimits of(const SchedulerOptions& options);
  bool any() const noexcept { return deadlock != kOff || stall != kOff; }

  static constexpr os::Nanoseconds kOff = os::kNever;
  os::Nanoseconds deadlock = kOff;
  os::Nanoseconds stall = kOff;
};

class Watchdog {
 public:
  // Starts the thread. pre: limits.any(). Throws std::system_error.
  Watchdog(Shared& shared, WatchLimits limits);
  // Waits for a report that is under way. Before the workers end.
  ~Watchdog();

 private:
  struct Seen {
    std::uint64_t progress = 0;
    os::Nanoseconds since = 0;  // it has looked the same
    bool told = false;
  };

  void watch();
  void look_for_stalls(os::Nanoseconds now);
  void look_for_rest(os::Nanoseconds now);
  // Passes the report to the hook of the user, or prints it to the standard error.
  void tell(const Report& report) const noexcept;
  bool is_at_rest() const;
  std::uint64_t switches_and_jobs() const;

  Shared& shared_;
  const WatchLimits limits_;
  std::vector<Seen> workers_;
  Seen rest_;
  ThreadMutex mutex_;
  ThreadCondition stop_;
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace jobs::inline JOBS_ABI::detail
