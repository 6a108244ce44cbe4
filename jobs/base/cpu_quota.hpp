// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CPU quota: the CPU time that the control groups grant this process. Any thread may call the
// function, which reads files on every call. It allocates nothing, because workers call it between
// two jobs; it takes 4 KiB of the stack.
//
// A container with `--cpus=4` on a machine of 192 cores shows all 192 in its affinity mask. Threads
// beyond the quota only cause the kernel to throttle the whole process.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Throttling of the process or its container: number of periods and total time, since the creation
// of the control group.
struct CpuThrottling {
  std::uint64_t periods = 0;
  std::uint64_t nanoseconds = 0;
};

struct CpuQuota {
  // In CPUs, such as 1.5: the minimum over all control groups between this process and the root.
  // Empty if no limit exists.
  std::optional<double> cpus;
  // From the group with the longest total time; zeros if no file has the figures.
  CpuThrottling throttled;
};

// Reads v1 (cpu.cfs_quota_us) and v2 (cpu.max), and cpu.stat of both. A file that is missing or
// malformed imposes no limit, nor does a line of 1 KiB or more. Only controllers that are mounted
// below /sys/fs/cgroup are seen.
// root: prefix of /proc and /sys, so that a test can supply its own tree.
[[nodiscard]] CpuQuota read_cpu_quota(std::string_view root = {}) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
