// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports of all schedulers of the process, and of one scheduler.
#include "jobs/report.hpp"

#include <csignal>
#include <new>
#include <ostream>

#include "jobs/base/os.hpp"
#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
namespace {

// A program that has the reports has the watchdog (runtime/diagnostics/watchdog_start.hpp).
[[gnu::used]] const Diagnostics* const kWithWatchdog = &kDiagnostics;

void dump_to_standard_error() noexcept {
  try {
    for (const Report& report : reports()) os::write_error(report.text());
  } catch (const std::bad_alloc&) {
    os::write_error("jobs: no memory is left for a report\n");
  }
}

}  // namespace
}  // namespace detail

std::vector<Report> reports(std::chrono::milliseconds timeout) {
  std::vector<Report> found;
  detail::CoreList::instance().for_each([&](detail::SchedulerCore& core) {
    found.push_back(detail::Snapshot::make(core, timeout)->report(Report::Reason::kRequested));
  });
  return found;
}

Report Scheduler::report(std::chrono::milliseconds timeout) const {
  Report found;
  detail::CoreList::instance().for_each([&](detail::SchedulerCore& core) {
    if (&core == shared_)
      found = detail::Snapshot::make(core, timeout)->report(Report::Reason::kRequested);
  });
  return found;
}

void dump(std::ostream& out, std::chrono::milliseconds timeout) {
  for (const Report& report : reports(timeout)) out << report;
}

void dump_on_signal(int signal) { os::serve_signal(signal, &detail::dump_to_standard_error); }
void dump_on_signal() { dump_on_signal(SIGQUIT); }

}  // namespace jobs::inline JOBS_ABI
