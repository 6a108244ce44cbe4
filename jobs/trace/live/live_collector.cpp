// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveCollector: the figures of workers and schedulers.
#include "jobs/trace/live/live_collector.hpp"

#include <algorithm>

#include "jobs/report_types.hpp"
#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::FiberCore;
using jobs::detail::SchedulerCore;
using jobs::detail::Worker;

LiveState state_of(const SchedulerCore& core, const Worker& worker) noexcept {
  if (worker.thread() == 0) return LiveState::kVacant;
  if (worker.is_retired()) return LiveState::kRetired;
  if (core.is_parked(worker.index())) return LiveState::kParked;
  return worker.is_spinning() ? LiveState::kSpinning : LiveState::kAwake;
}

// Changes with each job, switch and sleep, and if another fiber runs.
std::uint64_t progress_of(const Worker& worker) noexcept {
  const FiberCore* const fiber = worker.current_remote();
  const std::uint64_t own = fiber != nullptr ? fiber->switches.load(std::memory_order_relaxed) : 0;
  return worker.jobs.read() + worker.switches.read() + worker.parks.read() + own;
}

// The earlier of two times, of which 0 is none.
os::Nanoseconds earlier(os::Nanoseconds a, os::Nanoseconds b) noexcept {
  return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

}  // namespace

const std::string& LiveCollector::name_of(const void* function) {
  auto [entry, is_new] = names_.try_emplace(function);
  if (is_new) entry->second = os::function_name(function);
  return entry->second;
}

// The label is looked up when the worker has not changed between two pictures. A worker that
// changes all the time has no label, and costs no look-up.
LiveWorker LiveCollector::describe(const SchedulerCore& core, Worker& worker, std::size_t number,
                                   os::Nanoseconds now) {
  if (workers_.size() <= number) workers_.resize(number + 1);
  Seen& seen = workers_[number];
  const LiveState state = state_of(core, worker);
  const std::uint64_t progress = progress_of(worker);
  const FiberCore* const fiber = worker.current_remote();
  const std::uint64_t id = fiber != nullptr ? fiber->id.load_remote() : 0;
  if (seen.worker != &worker || seen.state != state || seen.progress != progress) {
    seen = {.worker = &worker, .state = state, .progress = progress, .since = now, .label = {}};
  } else if (state == LiveState::kAwake && id != 0 && seen.label.empty()) {
    const WorkerReport running = jobs::detail::Snapshot::running_on(worker);
    seen.label = !running.name.empty()         ? running.name
                 : !running.file.empty()       ? site_name(running.file, running.line)
                 : running.function != nullptr ? name_of(running.function)
                                               : "";
  }
  LiveWorker out{.index = worker.index(),
                 .thread = worker.thread(),
                 .state = state,
                 .jobs = worker.jobs.read(),
                 .steals = worker.steals.read(),
                 .parks = worker.parks.read(),
                 .switches = worker.switches.read(),
                 .queue = worker.context().queue_length(),
                 .fibers = worker.fibers().in_use(),
                 .fiber = state == LiveState::kAwake ? id : 0,
                 .unchanged_since = seen.since};
  copy_label(out.label, seen.label);
  return out;
}

// Jobs outside of the deques may have waited since no job has begun. A lower bound.
os::Nanoseconds LiveCollector::oldest_of_shared(const SchedulerCore& core, const Stats& stats,
                                                std::size_t number, os::Nanoseconds now) {
  if (schedulers_.size() <= number) schedulers_.resize(number + 1);
  SeenScheduler& seen = schedulers_[number];
  const bool waits = core.is_work_visible(true) == jobs::detail::Idle::Visible::kJobs;
  if (!waits || seen.core != &core || seen.jobs != stats.jobs || seen.since == 0)
    seen = {.core = &core, .jobs = stats.jobs, .since = waits ? now : 0};
  return seen.since;
}

void LiveCollector::add(LivePicture& picture, SchedulerCore& core, os::Nanoseconds now) {
  const Stats stats = core.stats();
  const std::size_t number = picture.schedulers++;
  os::Nanoseconds oldest = oldest_of_shared(core, stats, number, now);
  for (unsigned i = 0; i < core.worker_count(); ++i) {
    Worker& worker = Worker::of(core, i);
    const std::size_t place = picture.workers++;
    LiveWorker described = describe(core, worker, place, now);
    described.scheduler = static_cast<std::uint32_t>(number);
    if (described.queue != 0) {
      oldest = earlier(oldest, worker.oldest_since());
      if (described.state == LiveState::kAwake) oldest = earlier(oldest, described.unchanged_since);
    }
    if (place < LivePicture::kWorkers) picture.worker[place] = described;
  }
  if (number >= LivePicture::kSchedulers) return;
  picture.scheduler[number] = {.workers = core.worker_count(),
                               .active_workers = stats.active_workers,
                               .participants = core.participants().count(),
                               .jobs = stats.jobs,
                               .waiting_jobs = stats.waiting_jobs,
                               .fibers = stats.fibers - std::min(stats.fibers, stats.fibers_idle),
                               .blocked_fibers = stats.fibers_blocked,
                               .blocking_threads = stats.blocking_threads,
                               .max_start_delay_ns = stats.max_start_delay_ns,
                               .oldest_job = oldest};
}

LivePicture LiveCollector::take(bool lists_waits) {
  LivePicture picture;
  picture.at = os::now();
  jobs::detail::CoreList::instance().for_each([&](SchedulerCore& core) {
    add(picture, core, picture.at);
    if (lists_waits) waits_.ask(core, picture.at);
  });
  waits_.write(picture, lists_waits);
  return picture;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
