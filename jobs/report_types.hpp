// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Report describes a scheduler at one instant; jobs/report.hpp makes reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/fiber_state.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::inline JOBS_ABI {

/// Default time that a report waits for the answer of a worker.
inline constexpr std::chrono::milliseconds kReportTimeout{200};

/// State of one worker at one instant.
struct WorkerReport {
  /// Index of the worker from 0.
  unsigned index = 0;
  /// false: the worker did not answer in time, because the job in `running` keeps it.
  bool answered = false;
  /// true: the worker searches for work or sleeps.
  bool idle = false;
  /// Fiber that keeps the worker: a Fiber, or the fiber of a job.
  FiberId running{};
  /// Name of this Fiber; empty if it has none.
  std::string name;
  /// File of the creation site of this Fiber; empty for a job.
  std::string file;
  /// Line of the creation site of this Fiber.
  unsigned line = 0;
  /// Code of this job, for addr2line.
  ///
  /// It is null unless the scheduler makes reports automatically.
  const void* function = nullptr;
  /// Time that the job has kept the worker, at least; only in reports of stalls.
  std::chrono::nanoseconds stalled{0};
};

/// State of a fiber that waits or is ready, or of a Fiber that has not begun.
struct FiberReport {
  /// Kind of the owner of the object that a fiber waits for.
  enum class OwnerKind : std::uint8_t {
    /// No particular owner: any fiber or thread may signal, count down or send.
    kUnknown,
    /// The fiber in `owner`.
    kFiber,
    /// A thread, or a fiber of another scheduler.
    kOutside,
  };

  /// Identifier; 0: the bound thread itself.
  FiberId id{};
  /// Name of the Fiber; empty if it has none.
  std::string name;
  /// File of the creation site of the Fiber; empty for a job.
  std::string file;
  /// Line of the creation site of the Fiber.
  unsigned line = 0;
  /// true: a job that waits; false: a Fiber.
  bool is_job = false;
  /// true: the Fiber does not keep the scheduler from shutting down.
  bool is_daemon = false;
  /// false: a Fiber that has not begun.
  bool has_begun = true;
  /// State of the fiber.
  FiberState state = FiberState::kWaiting;
  /// Index of the worker of the fiber.
  unsigned worker = 0;
  /// Kind of the object that a waiting fiber waits for.
  WaitKind waits_for = WaitKind::kNothing;
  /// Address of this object; null if it has none.
  const void* object = nullptr;
  /// Kind of the owner of this object.
  OwnerKind owner_kind = OwnerKind::kUnknown;
  /// Owner of this object, or the Fiber that is joined.
  FiberId owner{};
  /// Time since the wait began.
  ///
  /// Empty unless SchedulerOptions::deadlock_after is set.
  std::optional<std::chrono::nanoseconds> waited;
  /// Code of the job.
  const void* function = nullptr;
  /// Return addresses, innermost first; empty if they are not available.
  std::vector<const void*> frames;
};

/// State of a jobs::Task that waits.
struct TaskReport {
  /// Kind of the object that the task waits for.
  WaitKind waits_for = WaitKind::kNothing;
  /// Address of this object; null if it has none.
  const void* object = nullptr;
  /// Where the task waits, then where the task that awaits it does so, and so on; at most 8.
  std::vector<std::source_location> sites;
};

/// State of a scheduler at one instant.
struct Report {
  /// Reason of a report.
  enum class Reason : std::uint8_t {
    /// A call of reports() or dump(), or a signal.
    kRequested,
    /// SchedulerOptions::deadlock_after has passed.
    kDeadlock,
    /// SchedulerOptions::stall_after has passed.
    kStall,
    /// SchedulerOptions::shutdown_report_after has passed.
    kShutdown
  };

  /// Reason of this report.
  Reason reason = Reason::kRequested;
  /// Time since any job or fiber has run; only in reports of deadlocks.
  std::chrono::nanoseconds quiet{0};
  /// Time that the shutdown has waited; only in reports of shutdowns.
  std::chrono::nanoseconds waited{0};
  /// Number of external threads inside of a loop, fork_join() or graph of the scheduler.
  unsigned participants = 0;
  /// Number of jobs that no fiber runs.
  ///
  /// They wait for a worker, for their dependencies (spawn_after(), Pipe) or for a point in time
  /// (spawn_at()). The figure is an estimate while workers run.
  std::uint64_t waiting_jobs = 0;
  /// All workers; in reports of stalls the stalled worker only.
  std::vector<WorkerReport> workers;
  /// All fibers that wait or are ready, and Fibers that have not begun.
  std::vector<FiberReport> fibers;
  /// The 1000 latest tasks that wait; empty unless `deadlock_after` or `stall_after` is set.
  std::vector<TaskReport> tasks;
  /// Number of tasks that wait, under the same condition.
  std::uint64_t waiting_tasks = 0;
  /// Cycles of waits.
  ///
  /// Each fiber of a cycle waits for the next one, and the last fiber for the first one. A cycle
  /// never ends by itself.
  std::vector<std::vector<FiberId>> cycles;

  /// Returns the report as human-readable lines, each of which begins with "jobs: ".
  ///
  /// A Fiber without a name is named by its creation site. Names appear without control characters
  /// and cut to 100 bytes.
  ///
  /// @returns text with line breaks
  /// @throws std::bad_alloc if there is no memory
  std::string text() const;
};

/// Writes the text of a report.
///
/// @param out  stream to write to
/// @param report  report to write
/// @returns out
JOBS_EXPORT std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace jobs::inline JOBS_ABI
