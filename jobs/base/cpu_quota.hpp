// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How much CPU time the control groups of this process grant it. A container with `--cpus=4` on a machine of 192 cores
// shows all 192 in its affinity mask; threads beyond the quota only get the whole process throttled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// CPUs per unit of time, such as 1.5: the least that any control group between this process and the root grants, v1
// (cpu.cfs_quota_us) and v2 (cpu.max). Empty if there is no limit. A file that is missing or malformed limits nothing.
// Only controllers that are mounted below /sys/fs/cgroup are seen.
// `root` stands before /proc and /sys, so that a test can show it a tree of its own. Reads files on every call.
[[nodiscard]] std::optional<double> read_cpu_quota(const std::string& root = "");

// How often the process, or its container, was stopped because it had used up its quota, and for how long all in all: of those control groups
// the one that was stopped for longest (cpu.stat). Since the group was made; zeros if nothing says so.
struct CpuThrottling {
  std::uint64_t periods = 0;
  std::uint64_t nanoseconds = 0;
};
[[nodiscard]] CpuThrottling read_cpu_throttling(const std::string& root = "");

}  // namespace jobs::inline JOBS_ABI::detail
