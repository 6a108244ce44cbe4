// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics: the functions by which a scheduler reaches the watchdog and the reports. Both take
// 40 KB of a static program, and most programs never use them. Therefore no other part of the
// runtime refers to their code.
//
// - A Scheduler refers to kDiagnostics, because its options may ask for a watchdog.
// - jobs/report.hpp refers to it, so a program that includes the header contains the watchdog.
// - The default scheduler has default options; only the environment can ask for its watchdog. It
//   uses linked_diagnostics, a weak symbol: its address is null unless the program contains
//   watchdog.cpp.
//
// Any thread may read these.
#pragma once

#include <chrono>
#include <memory>

#include "jobs/base/heap.hpp"
#include "jobs/runtime/diagnostics/watch_limits.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// A watchdog as its scheduler sees it. The destructor stops the thread.
class RunningWatchdog : public HeapObject<RunningWatchdog> {
 public:
  virtual ~RunningWatchdog() = default;
};

// Called by the SchedulerCore in its constructor if limits.any(). The result may be null. Throws
// std::system_error, std::bad_alloc.
using StartWatchdog = std::unique_ptr<RunningWatchdog> (*)(Shared& shared, WatchLimits limits);

std::unique_ptr<RunningWatchdog> start_watchdog(Shared& shared, WatchLimits limits);

// Called by a thread that has waited that long for the end of a shutdown. Reports what runs.
// pre: the workers do not stop meanwhile.
using ReportShutdown = void (*)(Shared& shared, std::chrono::nanoseconds waited) noexcept;

struct Diagnostics {
  StartWatchdog start_watchdog;
  ReportShutdown report_shutdown;
};
extern const Diagnostics kDiagnostics;
[[gnu::weak]] extern const Diagnostics* const linked_diagnostics;

}  // namespace jobs::inline JOBS_ABI::detail
