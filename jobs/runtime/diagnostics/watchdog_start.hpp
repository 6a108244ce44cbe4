// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The start of a watchdog. The watchdog and the reports take 40 KB of a static program, and most
// programs never use them. Therefore no other part of the runtime refers to their code.
//
// - A Scheduler refers to start_watchdog(), because its options may ask for a watchdog.
// - jobs/report.hpp refers to it, so a program that includes the header contains the watchdog.
// - The default scheduler has default options; only the environment can ask for its watchdog. It
//   uses linked_watchdog, a weak symbol: its address is null unless the program contains
//   watchdog.cpp.
//
// Any thread may read these.
#pragma once

#include <memory>

#include "jobs/runtime/diagnostics/watch_limits.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// A watchdog as its scheduler sees it. The destructor stops the thread.
class RunningWatchdog {
 public:
  virtual ~RunningWatchdog() = default;
};

// Called by the SchedulerCore in its constructor if limits.any(). The result may be null. Throws
// std::system_error, std::bad_alloc.
using StartWatchdog = std::unique_ptr<RunningWatchdog> (*)(Shared& shared, WatchLimits limits);

std::unique_ptr<RunningWatchdog> start_watchdog(Shared& shared, WatchLimits limits);
[[gnu::weak]] extern const StartWatchdog linked_watchdog;

}  // namespace jobs::inline JOBS_ABI::detail
