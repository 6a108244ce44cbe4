// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public: what a scheduler says about itself when a program hangs: its workers, who waits for what, and who holds it. Include
// jobs/report.hpp to ask for one.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/fiber_state.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::inline JOBS_ABI {

// One worker, as seen at one instant.
struct WorkerReport {
  unsigned index = 0;
  // False: it did not get to the question in time, since one job or fiber keeps it; then `running` says which.
  bool answered = false;
  bool idle = false;                    // it searches or sleeps
  FiberId running{};                    // the Fiber, or the fiber of the job, that keeps it
  std::string name;                     // of that Fiber
  const void* function = nullptr;       // of that job, if the scheduler makes reports by itself: for addr2line
  std::chrono::nanoseconds stalled{0};  // at least; only in reports of stalls
};

// One fiber that has a stack and does not run, or a Fiber that has not begun.
struct FiberReport {
  enum class Holder : std::uint8_t {
    kUnknown,  // nobody in particular: whoever signals, counts down, pushes
    kFiber,    // `holder`
    kOutside,  // a thread, or a fiber of another scheduler
  };

  FiberId id{};  // 0: the bound thread itself
  std::string name;
  bool is_job = false;  // a job that waits, and no Fiber
  bool is_daemon = false;
  bool has_begun = true;
  FiberState state = FiberState::kWaiting;
  unsigned worker = 0;
  // Of those that wait:
  WaitKind waits_for = WaitKind::kNothing;
  const void* object = nullptr;  // what it waits for; null: nothing that has an address
  Holder held_by = Holder::kUnknown;
  FiberId holder{};  // who holds it, or the Fiber whose end is awaited
  std::optional<std::chrono::nanoseconds>
      waited;                       // empty: no account is kept of that (SchedulerOptions::deadlock_after)
  const void* function = nullptr;   // of the job
  std::vector<const void*> frames;  // return addresses, innermost first; empty where that cannot be had
};

struct Report {
  enum class Reason : std::uint8_t { kAsked, kDeadlock, kStall };

  Reason reason = Reason::kAsked;
  std::chrono::nanoseconds quiet{0};  // of a deadlock: for so long nothing has run
  std::vector<WorkerReport> workers;  // of a stall: the one that is stalled
  std::vector<FiberReport> fibers;
  // Each a round of fibers that wait for the next one, the last for the first: that will never end by itself.
  std::vector<std::vector<FiberId>> cycles;

  // Lines for people, each of which begins with "jobs: ".
  std::string text() const;
};

JOBS_EXPORT std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace jobs::inline JOBS_ABI
