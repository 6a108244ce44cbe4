// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProfileData: sums and differences, and the workers that had no event.
#include "jobs/trace/profile_data.hpp"

#include <algorithm>

#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

void add_places(ProfileData::Places& places, const TimeTable& table) {
  table.for_each([&places](const TimeTable::Entry& entry) {
    const TimeCounts times = entry.times.read();
    if (times.count == 0) return;
    PlaceTimes& sum = places[entry.place];
    if (sum.label.empty()) sum.label = entry.label.data();
    if (sum.object_name.empty()) sum.object_name = entry.object_name.data();
    sum.times += times;
    sum.blocked_ns += entry.blocked_ns.read();
    sum.page_faults += entry.page_faults.read();
  });
}

void subtract_places(ProfileData::Places& places, const ProfileData::Places& earlier) noexcept {
  for (const auto& [place, before] : earlier) {
    const auto found = places.find(place);
    if (found == places.end()) continue;
    found->second.times -= before.times;
    found->second.blocked_ns -= std::min(found->second.blocked_ns, before.blocked_ns);
    found->second.page_faults -= std::min(found->second.page_faults, before.page_faults);
    if (found->second.times.count == 0) places.erase(found);
  }
}

}  // namespace

void ProfileData::add(const std::string& worker, const WorkerTimes& times) {
  WorkerTimes& sum = workers[worker];
  for (std::size_t i = 0; i < kWorkerStates; ++i) sum.states[i] += times.states[i];
  sum.cpu_ns += times.cpu_ns;
  sum.unmeasured_awake += times.unmeasured_awake;
}

void ProfileData::add(const ThreadProfile& profile) {
  add_places(functions, profile.functions());
  add_places(waits, profile.waits());
}

void ProfileData::subtract(const ProfileData& earlier) noexcept {
  for (const auto& [name, before] : earlier.workers) {
    const auto found = workers.find(name);
    if (found == workers.end()) continue;
    WorkerTimes& times = found->second;
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < kWorkerStates; ++i) {
      times.states[i] -= std::min(times.states[i], before.states[i]);
      if (i != static_cast<std::size_t>(WorkerState::kUnmeasured)) rest += times.states[i];
    }
    times.cpu_ns -= std::min(times.cpu_ns, before.cpu_ns);
    times.unmeasured_awake -= std::min(times.unmeasured_awake, before.unmeasured_awake);
    if (rest == 0) workers.erase(found);  // It ended before.
  }
  subtract_places(functions, earlier.functions);
  subtract_places(waits, earlier.waits);
}

std::vector<WorkerSighting> find_workers() {
  std::vector<WorkerSighting> found;
  jobs::detail::CoreList::instance().for_each([&found](jobs::detail::SchedulerCore& core) {
    for (unsigned i = 0; i < core.worker_count(); ++i) {
      const jobs::detail::Worker& worker = jobs::detail::Worker::of(core, i);
      const bool is_parked = core.is_parked(i);
      // A worker that has neither slept nor run a job has just begun.
      if (worker.thread() == 0 || worker.is_main()) continue;
      if (!is_parked && worker.jobs.read() == 0) continue;
      found.push_back({.thread = worker.thread(),
                       .name = worker.describe(),
                       .state = is_parked ? WorkerState::kParked : WorkerState::kUseful});
    }
  });
  return found;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
