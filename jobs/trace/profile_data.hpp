// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProfileData: the times of all workers up to some moment. The difference of two is a profile.
// Plain data, for one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/trace/thread_profile.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

struct WorkerTimes {
  StateTimes states{};                 // in ticks
  std::uint64_t cpu_ns = 0;            // CPU time
  std::uint64_t unmeasured_awake = 0;  // Ticks of the states without a measured CPU time.
};

struct PlaceTimes {
  std::string label;        // of a Fiber
  std::string object_name;  // if the place has the hash of a name
  TimeCounts times;
  std::uint64_t blocked_ns = 0;
  std::uint64_t page_faults = 0;
};

struct ProfileData {
  using Places = std::map<TimePlace, PlaceTimes>;

  // Adds the times of a worker, and of the code that it has run. Workers of the same name share an
  // entry. Throws std::bad_alloc.
  void add(const std::string& worker, const WorkerTimes& times);
  void add(const ThreadProfile& profile);
  // Leaves the times since `earlier`.
  void subtract(const ProfileData& earlier) noexcept;

  std::map<std::string, WorkerTimes> workers;
  Places functions;
  Places waits;
};

// A worker of a running scheduler, and its present state: kParked or kUseful.
struct WorkerSighting {
  os::ThreadId thread;
  std::string name;
  WorkerState state;
};
// Returns the workers of all schedulers that have begun to work. Throws std::bad_alloc.
std::vector<WorkerSighting> find_workers();

}  // namespace jobs::inline JOBS_ABI::trace::detail
