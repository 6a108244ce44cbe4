// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports: what the schedulers of the process are doing just now: each worker, each fiber that waits, for what, who holds it, its
// back-trace, and the rounds in which fibers wait for each other. For programs that hang; SchedulerOptions::deadlock_after and
// stall_after make such reports by themselves.
//
//   jobs::dump(std::cerr);              // now
//   jobs::dump_on_signal();             // whenever somebody presses Ctrl-\ or sends SIGQUIT
//   JOBS_DEADLOCK_MS=2000 ./program     // when all workers have been idle for 2 s and fibers wait for each other
//
// Each worker describes its own fibers between two jobs or when it idles. One that a job keeps for longer than `patience` does not
// answer; then the report names what runs there.
#pragma once

#include <chrono>
#include <csignal>
#include <iosfwd>
#include <vector>

#include "jobs/report_types.hpp"

namespace jobs::inline JOBS_ABI {

inline constexpr std::chrono::milliseconds kReportPatience{200};

// One for each scheduler that runs. Any thread, jobs and fibers too: it blocks the thread for the patience at most for each
// scheduler. Not in signal handlers.
[[nodiscard]] JOBS_EXPORT std::vector<Report> reports(std::chrono::milliseconds patience = kReportPatience);

// All of them as text.
JOBS_EXPORT void dump(std::ostream& out, std::chrono::milliseconds patience = kReportPatience);

// From now on the signal prints them on the standard error, by a thread of its own, and does nothing else: SIGQUIT no longer ends
// the program. Throws std::system_error.
JOBS_EXPORT void dump_on_signal(int signal = SIGQUIT);

}  // namespace jobs::inline JOBS_ABI
