// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Reports of the schedulers of the process, for programs that hang.
///
/// A static program that includes this header contains the reports and the watchdog, 40 KB.
#pragma once

#include <chrono>
#include <iosfwd>
#include <vector>

#include "jobs/report_types.hpp"

namespace jobs::inline JOBS_ABI {

/// Returns a report of each scheduler that runs.
///
/// A report describes each worker and each fiber that waits: the object of the wait, its owner, and
/// a back-trace. It lists the cycles of fibers that wait for each other.
/// SchedulerOptions::deadlock_after and SchedulerOptions::stall_after make such reports
/// automatically; so does the environment variable JOBS_DEADLOCK_MS, for example
/// `JOBS_DEADLOCK_MS=2000 ./program`, once all workers have been idle for 2 s and fibers wait for
/// each other.
///
/// Each worker describes its own fibers between two jobs or when it idles. If one job keeps a
/// worker for longer than `timeout`, the worker does not answer; the report then names the job
/// that runs there. The call blocks its thread for at most `timeout` per scheduler.
///
/// @snippet scheduling.cpp report
///
/// @param timeout  longest time to wait for the workers of a scheduler
/// @returns one report per scheduler
/// @throws std::bad_alloc if there is no memory
/// @complexity O(fibers)
/// @thread_safety any thread, job or fiber, concurrently; not in signal handlers
[[nodiscard]] JOBS_EXPORT std::vector<Report> reports(
    std::chrono::milliseconds timeout = kReportTimeout);

/// Writes the reports of all schedulers as text.
///
/// @param out  stream to write to
/// @param timeout  longest time to wait for the workers of a scheduler
/// @throws std::bad_alloc if there is no memory
/// @complexity O(fibers)
/// @thread_safety any thread, job or fiber, concurrently; not in signal handlers
JOBS_EXPORT void dump(std::ostream& out, std::chrono::milliseconds timeout = kReportTimeout);

namespace detail {
// Links the reports and the watchdog into each program that includes this header: the default
// scheduler finds the watchdog if the environment asks for one.
[[gnu::used]] inline constexpr auto* kLinkReports = &reports;
}  // namespace detail

/// Makes a signal write the reports to the standard error.
///
/// A thread of its own serves the signal. The signal has no other effect: SIGQUIT (Ctrl-\\) does
/// not end the program.
///
/// @param signal  number of the signal, such as SIGUSR1
/// @throws std::system_error if the signal or the thread cannot be set up
/// @thread_safety any thread, concurrently
JOBS_EXPORT void dump_on_signal(int signal);
/// Makes SIGQUIT (Ctrl-\\) write the reports to the standard error.
///
/// @throws std::system_error if the signal or the thread cannot be set up
/// @thread_safety any thread, concurrently
JOBS_EXPORT void dump_on_signal();

}  // namespace jobs::inline JOBS_ABI
