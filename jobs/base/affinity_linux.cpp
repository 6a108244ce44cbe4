// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Affinity: the masks on Linux.
#include "jobs/base/affinity.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace jobs::inline JOBS_ABI::os {
namespace {

// The mask of a thread, without an allocation.
class Mask {
 public:
  // thread: 0 is the calling thread.
  explicit Mask(ThreadId thread) noexcept : thread_(thread) {
    is_read_ = sched_getaffinity(thread_, sizeof mask_, set()) == 0;
  }
  bool is_read() const noexcept { return is_read_; }
  const CpuMask& get() const noexcept { return mask_; }
  int count() noexcept { return CPU_COUNT_S(sizeof mask_, set()); }
  bool has(unsigned cpu) noexcept { return CPU_ISSET_S(cpu, sizeof mask_, set()); }
  void add(unsigned cpu) noexcept { CPU_SET_S(cpu, sizeof mask_, set()); }
  void remove(unsigned cpu) noexcept { CPU_CLR_S(cpu, sizeof mask_, set()); }
  void add(Mask& other) noexcept { CPU_OR_S(sizeof mask_, set(), set(), other.set()); }
  bool write() noexcept { return sched_setaffinity(thread_, sizeof mask_, set()) == 0; }

 private:
  cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(mask_.words.data()); }

  const ThreadId thread_;
  bool is_read_ = false;
  CpuMask mask_{};
};

}  // namespace

std::vector<unsigned> affinity_cpus() {
  std::vector<unsigned> cpus;
  Mask mask(0);
  for (unsigned cpu = 0; cpu < CpuMask::kCpus; ++cpu) {
    if (mask.has(cpu)) cpus.push_back(cpu);
  }
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

JOBS_COLD bool exclude_cpu(ThreadId thread, unsigned cpu, CpuMask& before) noexcept {
  Mask mask(thread);
  if (!mask.is_read() || !mask.has(cpu) || mask.count() < 2) return false;
  before = mask.get();
  mask.remove(cpu);
  return mask.write();
}

JOBS_COLD void set_mask(ThreadId thread, const CpuMask& mask) noexcept {
  sched_setaffinity(thread, sizeof mask, reinterpret_cast<const cpu_set_t*>(mask.words.data()));
}

JOBS_COLD void include_cpu(unsigned cpu) noexcept {
  Mask mask(0);
  if (!mask.is_read() || mask.has(cpu)) return;
  mask.add(cpu);
  mask.write();
}

unsigned affinity_of(std::span<const ThreadId> threads) noexcept {
  if (threads.empty()) return 0;
  Mask all(threads.front());
  for (const ThreadId thread : threads.subspan(1)) {
    Mask mask(thread);
    all.add(mask);
  }
  return static_cast<unsigned>(all.count());
}

unsigned online_cpus() noexcept {
  static const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : static_cast<unsigned>(count);
}

}  // namespace jobs::inline JOBS_ABI::os
