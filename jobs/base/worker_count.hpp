// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How many workers a scheduler gets, and why. What the program asks for goes before JOBS_NUM_WORKERS, and that before
// what the machine grants: min(CPUs in the affinity mask, CPU quota rounded up), at least 1. A number that was asked
// for is honoured even above the number of CPUs; nobody may index an array of CPUs by it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "jobs/base/affinity.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/cpu_quota.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline constexpr unsigned kMaxWorkers = 4096;

struct WorkerCount {
  unsigned count;         // 1 to kMaxWorkers
  std::string reason;     // "2 workers: 2 CPUs in the affinity mask (machine has 2; no CPU quota)"
  bool detected = false;  // nobody has asked for a number
};

// What the machine grants this process.
struct CpuLimits {
  unsigned online;              // CPUs of the machine
  unsigned affinity;            // those that the thread may run on
  std::optional<double> quota;  // CPUs' worth of time; empty: no limit
  CpuThrottling throttled = {};
};

// Asks the machine, each time. `threads`: whose affinity masks; none: the calling thread's. Throws std::bad_alloc.
[[nodiscard]] CpuLimits read_limits(std::span<const os::ThreadId> threads);
// Who is asked: read_limits(), or what a test has put in its place.
using LimitsSource = CpuLimits (*)(std::span<const os::ThreadId> threads);
extern constinit Atomic<LimitsSource> limits_source;

// `requested` is 0 if the program leaves the choice to us. Looks at the environment, at the calling thread's affinity mask and at
// the control groups. Throws Error: kBadEnvironment, kBadArgument.
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested);

// The choice itself. `environment` is the value of JOBS_NUM_WORKERS; null if it is not set.
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested, const char* environment, const CpuLimits& limits);

}  // namespace jobs::inline JOBS_ABI::detail
