// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Affinity: the masks on Linux.
#include "jobs/base/affinity.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// The mask of a thread, without an allocation. Larger than the mask of any kernel of Debian.
class Mask {
 public:
  explicit Mask(ThreadId thread) noexcept : thread_(thread) {
    is_read_ = sched_getaffinity(thread_, sizeof words_, set()) == 0;
  }
  bool is_read() const noexcept { return is_read_; }
  int count() noexcept { return CPU_COUNT_S(sizeof words_, set()); }
  bool has(unsigned cpu) noexcept { return CPU_ISSET_S(cpu, sizeof words_, set()); }
  void add(unsigned cpu) noexcept { CPU_SET_S(cpu, sizeof words_, set()); }
  void remove(unsigned cpu) noexcept { CPU_CLR_S(cpu, sizeof words_, set()); }
  bool write() noexcept { return sched_setaffinity(thread_, sizeof words_, set()) == 0; }

 private:
  cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }

  static constexpr std::size_t kCpus = 8192;
  const ThreadId thread_;
  bool is_read_ = false;
  std::array<unsigned long, kCpus / (8 * sizeof(unsigned long))> words_{};
};

}  // namespace

std::vector<unsigned> affinity_cpus() {
  std::vector<unsigned> cpus = cpus_of(0);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

ThreadId thread_id() noexcept { return gettid(); }

JOBS_COLD std::int64_t cpu_time_of(ThreadId thread) noexcept {
  // The kernel's number of a thread's clock: the complement of its id, and the kind of the clock.
  constexpr unsigned kThreadClock = 6;
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kThreadClock);
  timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

JOBS_COLD bool exclude_cpu(ThreadId thread, unsigned cpu) noexcept {
  Mask mask(thread);
  if (!mask.is_read() || !mask.has(cpu) || mask.count() < 2) return false;
  mask.remove(cpu);
  return mask.write();
}

JOBS_COLD void include_cpu(unsigned cpu) noexcept {
  Mask mask(0);
  if (!mask.is_read()) return;
  mask.add(cpu);
  mask.write();
}

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
