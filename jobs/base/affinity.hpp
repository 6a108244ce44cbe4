// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Affinity: the logical CPUs that threads of this process may run on. Any thread may call these
// functions.
//
// Linux has already intersected the mask of a thread with its cpuset and with the CPUs that are
// online. Therefore no other source needs to be read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::os {

// The CPUs that a thread may run on, a bit each. Linux supports up to 8192; a kernel refuses a
// smaller buffer than its own mask.
struct CpuMask {
  static constexpr unsigned kCpus = 8192;
  std::array<unsigned long, kCpus / (8 * sizeof(unsigned long))> words;

  bool operator==(const CpuMask&) const = default;
};

// Kernel numbers of the CPUs in the affinity mask of the calling thread, ascending. Never empty: if
// the kernel does not return the mask, the result is CPU 0.
[[nodiscard]] std::vector<unsigned> affinity_cpus();

[[nodiscard]] ThreadId thread_id() noexcept;
// The CPU time of a thread of this process in nanoseconds. 0: the thread does not exist. A read
// takes 0.4 us. (The clock of the process is late by up to a tick for running threads.)
[[nodiscard]] std::int64_t cpu_time_of(ThreadId thread) noexcept;

// Removes a CPU from the mask of a sleeping thread, so that the thread wakes up on another CPU.
// Stores the mask that it has had in `before`. Returns false without effect if its mask has no
// other CPU, or if the kernel refuses.
bool exclude_cpu(ThreadId thread, unsigned cpu, CpuMask& before) noexcept;
// Sets the mask of a thread.
void set_mask(ThreadId thread, const CpuMask& mask) noexcept;
// Adds a CPU to the mask of the calling thread, if the mask lacks it.
void include_cpu(unsigned cpu) noexcept;

// Number of CPUs that at least one of the threads may run on. 0: none of the threads exists,
// or the kernel refuses.
[[nodiscard]] unsigned affinity_of(std::span<const ThreadId> threads) noexcept;

// Number of CPUs that are online in the whole machine; at least 1. Queries the kernel once per
// process.
[[nodiscard]] unsigned online_cpus() noexcept;

}  // namespace jobs::inline JOBS_ABI::os
