// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Watchdog: a thread of a scheduler that reports deadlocks and stalled jobs. It exists only if the
// options or the environment enable it. The scheduler owns it.
//
// It reads counters that the workers write in any case, so the workers pay nothing.
//   1. Stall: a job has run on a worker for longer than the limit, without a scheduling point.
//   2. Deadlock: all workers have been at rest for longer than the limit. Only then it asks the
//      workers for the waits of their fibers (snapshot.hpp).
//
// At rest means: each worker sleeps, and since then no worker has run a job or switched. A healthy
// server is at rest, too. So the watchdog reports a deadlock only if no deadline is armed, and each
// fiber waits for other fibers only. It cannot see whether an external thread, or a fiber of
// another scheduler, will wake one of them. It reports once for each time that all workers come to
// rest.
#pragma once

#include <chrono>
#include <vector>

#include "jobs/base/heap_vector.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

class Watchdog final : public RunningWatchdog {
 public:
  // Starts the thread. pre: limits.any(). Throws std::system_error.
  Watchdog(Shared& shared, WatchLimits limits);
  // Waits for a report in progress. Called before the workers end.
  ~Watchdog() override;

 private:
  struct Seen {
    std::uint64_t progress = 0;
    os::Nanoseconds since = 0;  // Time since which `progress` is unchanged.
    bool reported = false;
  };

  // Throws std::system_error.
  Thread start();
  void watch();
  void check_stalls(os::Nanoseconds now);
  void check_deadlock(os::Nanoseconds now);
  bool is_all_idle() const;
  std::uint64_t switches_and_jobs() const;

  Shared& shared_;
  const WatchLimits limits_;
  HeapVector<Seen> workers_;
  Seen idle_;
  ThreadMutex mutex_;
  ThreadCondition stop_;
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace jobs::inline JOBS_ABI::detail
