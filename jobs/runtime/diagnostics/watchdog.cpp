// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Watchdog: the limits, the loop of its thread, and the two checks.
#include "jobs/runtime/diagnostics/watchdog.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr os::Nanoseconds kShortestPause = 1'000'000;
constexpr os::Nanoseconds kLongestPause = 250'000'000;

}  // namespace

Watchdog::Watchdog(Shared& shared, WatchLimits limits)
    : shared_(shared),
      limits_(limits),
      workers_(shared.worker_count(), Seen{.since = os::now()}),
      rest_{.since = os::now()},
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  os::block_signals();
  os::set_thread_name("jobs watchdog");
  const os::Nanoseconds pause =
      std::clamp(std::min(limits_.deadlock, limits_.stall) / 4, kShortestPause, kLongestPause);
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, std::chrono::nanoseconds(pause), [this] { return stopping_; })) {
    lock.unlock();
    const os::Nanoseconds now = os::now();
    if (limits_.stall != WatchLimits::kOff) look_for_stalls(now);
    if (limits_.deadlock != WatchLimits::kOff) look_for_rest(now);
    lock.lock();
  }
}

// Reports each worker that runs a job and has counted no progress for longer than the limit.
void Watchdog::look_for_stalls(os::Nanoseconds now) {
  for (unsigned i = 0; i < shared_.worker_count(); ++i) {
    const Worker& worker = Worker::of(shared_, i);
    Seen& seen = workers_[i];
    const std::uint64_t progress = worker.progress();
    const FiberCore* const fiber = worker.shown_current();
    const bool is_in_a_job = fiber != nullptr && fiber->id.from_afar() != 0 && !shared_.is_idle(i);
    if (!is_in_a_job || progress != seen.progress) {
      seen = {.progress = progress, .since = now, .told = false};
      continue;
    }
    if (seen.told || now - seen.since < limits_.stall) continue;
    Report report;
    report.reason = Report::Reason::kStall;
    WorkerReport& stalled = report.workers.emplace_back(Inspection::running_on(worker));
    // The worker has made progress meanwhile, so the report may describe another job.
    if (worker.progress() != seen.progress) continue;
    stalled.stalled = std::chrono::nanoseconds(now - seen.since);
    seen.told = true;
    tell(report);
  }
}

void Watchdog::tell(const Report& report) const noexcept {
  if (const auto& on_report = shared_.options().on_report) {
    on_report(report);
  } else {
    os::write_error(report.text());
  }
}

bool Watchdog::is_at_rest() const {
  for (unsigned i = 0; i < shared_.worker_count(); ++i) {
    if (!shared_.is_idle(i)) return false;
  }
  return true;
}

std::uint64_t Watchdog::switches_and_jobs() const {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < shared_.worker_count(); ++i)
    sum += Worker::of(shared_, i).jobs.read() + Worker::of(shared_, i).switches.read();
  return sum;
}

// Reports a deadlock. After a report, a worker that wakes up without work (for a question, for
// example) does not count as progress.
void Watchdog::look_for_rest(os::Nanoseconds now) {
  const std::uint64_t progress = switches_and_jobs();
  if (progress != rest_.progress || (!rest_.told && !is_at_rest()))
    rest_ = {.progress = progress, .since = now, .told = false};
  if (rest_.told || now - rest_.since < limits_.deadlock) return;
  const std::shared_ptr<Inspection> inspection = Inspection::make(shared_, kPatience);
  if (!inspection->all_answered() || switches_and_jobs() != rest_.progress) return;  // Checked again later.
  rest_.told = true;
  if (!inspection->nothing_can_happen() || !inspection->somebody_waits()) return;
  Report report = inspection->report(Report::Reason::kDeadlock);
  report.quiet = std::chrono::nanoseconds(now - rest_.since);
  tell(report);
}

std::unique_ptr<RunningWatchdog> start_watchdog(Shared& shared, WatchLimits limits) {
  return std::make_unique<Watchdog>(shared, limits);
}

const StartWatchdog linked_watchdog = &start_watchdog;

}  // namespace jobs::inline JOBS_ABI::detail
