// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Which logical CPUs the calling thread may run on. Linux has already intersected the mask with the thread's cpuset and
// with the CPUs that are online, so nobody else needs to read those.
#pragma once

#include <span>
#include <vector>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::os {

// Kernel numbers of the CPUs in the affinity mask of the calling thread, ascending. Any number of CPUs. Never empty: if
// the kernel refuses to say, the answer is CPU 0.
[[nodiscard]] std::vector<unsigned> affinity_cpus();

// A thread of this process, as the kernel counts.
using ThreadId = int;
[[nodiscard]] ThreadId thread_id() noexcept;

// How many CPUs at least one of the threads may run on. 0: none of them exists.
[[nodiscard]] unsigned affinity_of(std::span<const ThreadId> threads);

// CPUs that are online in the whole machine; at least 1. Asks the kernel once per process.
[[nodiscard]] unsigned online_cpus() noexcept;

}  // namespace jobs::inline JOBS_ABI::os
