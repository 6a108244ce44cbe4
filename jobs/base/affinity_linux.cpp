// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Affinity: the masks on Linux.
#include "jobs/base/affinity.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <utility>

namespace jobs::inline JOBS_ABI::os {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// Upper limit of the size of a mask: the kernel refuses a buffer smaller than its own mask, and no
// machine has a mask of more bits.
constexpr unsigned kMaxCpus = 1u << 20;

// The CPUs of a thread, ascending. thread: 0 is the calling thread. Empty if the kernel does not
// return the mask.
std::vector<unsigned> cpus_of(ThreadId thread) {
  for (unsigned capacity = CPU_SETSIZE; capacity <= kMaxCpus; capacity *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(capacity));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(thread, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;  // too small
      break;
    }
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < capacity; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

}  // namespace

std::vector<unsigned> affinity_cpus() {
  std::vector<unsigned> cpus = cpus_of(0);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

ThreadId thread_id() noexcept { return gettid(); }

unsigned affinity_of(std::span<const ThreadId> threads) {
  std::vector<unsigned> all;
  for (const ThreadId thread : threads) {
    const std::vector<unsigned> cpus = cpus_of(thread);
    // The masks are usually equal.
    if (std::includes(all.begin(), all.end(), cpus.begin(), cpus.end())) continue;
    std::vector<unsigned> both;
    std::set_union(all.begin(), all.end(), cpus.begin(), cpus.end(), std::back_inserter(both));
    all = std::move(both);
  }
  return static_cast<unsigned>(all.size());
}

unsigned online_cpus() noexcept {
  static const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : static_cast<unsigned>(count);
}

}  // namespace jobs::inline JOBS_ABI::os
