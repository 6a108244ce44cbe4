// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How many workers a scheduler gets, and why. What the program asks for goes before JOBS_NUM_WORKERS, and that before
// what the machine grants: min(CPUs in the affinity mask, CPU quota rounded up), at least 1. A number that was asked
// for is honoured even above the number of CPUs; nobody may index an array of CPUs by it.
#pragma once

#include <optional>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline constexpr unsigned kMaxWorkers = 4096;

struct WorkerCount {
  unsigned count;      // 1 to kMaxWorkers
  std::string reason;  // "2 workers: 2 CPUs in the affinity mask (machine has 2; no CPU quota)"
};

// What the machine grants this process.
struct CpuLimits {
  unsigned online;              // CPUs of the machine
  unsigned affinity;            // those that the thread may run on
  std::optional<double> quota;  // CPUs' worth of time; empty: no limit
};

// `requested` is 0 if the program leaves the choice to us. Looks at the environment and at the calling thread's
// affinity mask every time, at the control groups once per process. Throws Error: kBadEnvironment, kBadArgument.
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested);

// The choice itself. `environment` is the value of JOBS_NUM_WORKERS; null if it is not set.
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested, const char* environment, const CpuLimits& limits);

}  // namespace jobs::inline JOBS_ABI::detail
