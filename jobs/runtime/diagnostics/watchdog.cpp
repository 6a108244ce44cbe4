// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Watchdog: the limits, the loop of its thread, and the two checks.
#include "jobs/runtime/diagnostics/watchdog.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>

#include "jobs/runtime/diagnostics/deliver.hpp"
#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr os::Nanoseconds kShortestPause = 1'000'000;
constexpr os::Nanoseconds kLongestPause = 250'000'000;

}  // namespace

Watchdog::Watchdog(Shared& shared, WatchLimits limits)
    : shared_(shared),
      limits_(limits),
      workers_(shared.worker_count(), Seen{.since = os::now()}),
      idle_{.since = os::now()},
      thread_(start()) {}

Thread Watchdog::start() {
  try {
    return Thread([this] { watch(); });
  } catch (const std::system_error& error) {
    refuse_thread(error.code(), "the watchdog",
                  "do without deadlock_after and stall_after (JOBS_DEADLOCK_MS, JOBS_STALL_MS)");
  }
}

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
    try {
      if (limits_.stall != WatchLimits::kOff) check_stalls(now);
      if (limits_.deadlock != WatchLimits::kOff) check_deadlock(now);
    } catch (const std::bad_alloc&) {
      os::write_error("jobs: the watchdog has no memory for a report\n");
    }
    lock.lock();
  }
}

// Reports each worker that runs a job and has counted no progress for longer than the limit.
void Watchdog::check_stalls(os::Nanoseconds now) {
  for (unsigned i = 0; i < shared_.worker_count(); ++i) {
    const Worker& worker = Worker::of(shared_, i);
    Seen& seen = workers_[i];
    const std::uint64_t progress = worker.progress();
    const FiberCore* const fiber = worker.current_remote();
    const bool is_in_a_job =
        fiber != nullptr && fiber->id.load_remote() != 0 && !shared_.is_idle(i);
    if (!is_in_a_job || progress != seen.progress) {
      seen = {.progress = progress, .since = now, .reported = false};
      continue;
    }
    if (seen.reported || now - seen.since < limits_.stall) continue;
    Report report;
    report.reason = Report::Reason::kStall;
    WorkerReport& stalled = report.workers.emplace_back(Snapshot::running_on(worker));
    // The worker has made progress meanwhile, so the report may describe another job.
    if (worker.progress() != seen.progress) continue;
    stalled.stalled = std::chrono::nanoseconds(now - seen.since);
    seen.reported = true;
    deliver(shared_, report);
  }
}

bool Watchdog::is_all_idle() const {
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
void Watchdog::check_deadlock(os::Nanoseconds now) {
  const std::uint64_t progress = switches_and_jobs();
  if (progress != idle_.progress || (!idle_.reported && !is_all_idle()))
    idle_ = {.progress = progress, .since = now, .reported = false};
  if (idle_.reported || now - idle_.since < limits_.deadlock) return;
  const std::shared_ptr<Snapshot> snapshot = Snapshot::make(shared_, Snapshot::kTimeout);
  if (!snapshot->all_answered() || switches_and_jobs() != idle_.progress)
    return;  // Checked again later.
  idle_.reported = true;
  if (!snapshot->cannot_progress() || !snapshot->has_waiters()) return;
  Report report = snapshot->report(Report::Reason::kDeadlock);
  report.quiet = std::chrono::nanoseconds(now - idle_.since);
  deliver(shared_, report);
}

std::unique_ptr<RunningWatchdog> start_watchdog(Shared& shared, WatchLimits limits) {
  return std::make_unique<Watchdog>(shared, limits);
}

constinit const Diagnostics kDiagnostics{&start_watchdog, &report_shutdown};
constinit const Diagnostics* const linked_diagnostics = &kDiagnostics;

}  // namespace jobs::inline JOBS_ABI::detail
