// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CPU quota: the CPU time that the control groups grant this process. Any thread may call these
// functions, which read files on every call.
//
// A container with `--cpus=4` on a machine of 192 cores shows all 192 in its affinity mask. Threads
// beyond the quota only cause the kernel to throttle the whole process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Quota in CPUs, such as 1.5: the minimum over all control groups between this process and the
// root. It reads v1 (cpu.cfs_quota_us) and v2 (cpu.max). Empty if no limit exists. A file that is
// missing or malformed imposes no limit. Only controllers that are mounted below /sys/fs/cgroup are
// seen. root: prefix of /proc and /sys, so that a test can supply its own tree.
[[nodiscard]] std::optional<double> read_cpu_quota(const std::string& root = "");

// Throttling of the process or its container: number of periods and total time, since the creation
// of the control group. The source is the cpu.stat file of the group with the longest total time.
// Zeros if no file has the figures.
struct CpuThrottling {
  std::uint64_t periods = 0;
  std::uint64_t nanoseconds = 0;
};
[[nodiscard]] CpuThrottling read_cpu_throttling(const std::string& root = "");

}  // namespace jobs::inline JOBS_ABI::detail
