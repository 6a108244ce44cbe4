// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerCount: the number of workers of a scheduler, and the reason for it. Any thread may call
// these functions.
//
// Sources in the order of their priority: the request of the program, JOBS_NUM_WORKERS, the limits
// of the machine. The limits give min(CPUs in the affinity mask, CPU quota rounded up), at least 1.
// A requested number is used even if it exceeds the number of CPUs. Therefore the index of a worker
// is no index of a CPU.
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
  unsigned count;  // from 1 to kMaxWorkers
  // For example: "2 workers: 2 CPUs in the affinity mask (machine has 2; no CPU quota)".
  std::string reason;
  bool detected = false;  // true: neither program nor environment requested a number
};

// Limits of the machine for this process.
struct CpuLimits {
  unsigned online;              // CPUs of the machine
  unsigned affinity;            // CPUs that the thread may run on
  std::optional<double> quota;  // in CPUs; empty: no limit
  CpuThrottling throttled = {};
};

// Reads the limits on every call. threads: the threads to read the affinity masks of, without an
// allocation; empty: the calling thread. Throws std::bad_alloc.
[[nodiscard]] CpuLimits read_limits(std::span<const os::ThreadId> threads);
// The source of the limits: read_limits(), or the replacement of a test.
using LimitsSource = CpuLimits (*)(std::span<const os::ThreadId> threads);
extern constinit Atomic<LimitsSource> limits_source;

// The number of workers that the limits allow: the CPUs of the mask, and no more than the quota
// rounded up. At least 1.
[[nodiscard]] unsigned allowed_workers(const CpuLimits& limits) noexcept;

// Chooses the number of workers from the request, the environment, the affinity mask of the calling
// thread and the control groups. requested: 0 if the program leaves the choice to the library.
// `at_least`: lower limit of the number. Throws Error(kBadEnvironment), Error(kBadArgument).
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested, unsigned at_least = 0);

// The choice itself. environment: the value of JOBS_NUM_WORKERS; null or empty if it is not set.
[[nodiscard]] WorkerCount choose_worker_count(unsigned requested, const char* environment,
                                              const CpuLimits& limits);

}  // namespace jobs::inline JOBS_ABI::detail
