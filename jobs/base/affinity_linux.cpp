// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The affinity mask on Linux.
#include "jobs/base/affinity.hpp"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace jobs::inline JOBS_ABI::os {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The kernel refuses a buffer that is smaller than its own mask; no machine has a mask of more bits than this.
constexpr unsigned kMostCpus = 1u << 20;

}  // namespace

std::vector<unsigned> affinity_cpus() {
  for (unsigned capacity = CPU_SETSIZE; capacity <= kMostCpus; capacity *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(capacity));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;  // too small
      break;
    }
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < capacity; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
    }
    if (!cpus.empty()) return cpus;
    break;
  }
  return {0};
}

unsigned online_cpus() noexcept {
  static const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : static_cast<unsigned>(count);
}

}  // namespace jobs::inline JOBS_ABI::os
