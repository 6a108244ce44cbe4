// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: starts, stops and describes the workers of one scheduler. It derives from Shared,
// the state that the workers use at run time, and owns the workers. A jobs::Scheduler owns it;
// scheduler_core.cpp has the steps of starting and stopping.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobs/runtime/diagnostics/watch_limits.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/fibers/switch_hooks.hpp"
#include "jobs/runtime/scheduler/blocking_pool.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT SchedulerCore final : public Shared {
 public:
  SchedulerCore(const SchedulerOptions& options, StartWatchdog start_watchdog);
  ~SchedulerCore();
  // Rejects work from outside, waits for all jobs and fibers, and stops the workers. Throws
  // Error(kForked).
  void shutdown();

  // Returns the SchedulerCore of which `shared` is a part: each Shared is a part of one.
  static SchedulerCore& of(Shared& shared) noexcept { return static_cast<SchedulerCore&>(shared); }

  // Runs the jobs for the bound thread that have arrived. Called by the bound thread.
  void run_main_thread_jobs();
  // Valid while the scheduler is in the CoreList, or while its watchdog runs.
  Worker& worker_at(unsigned index) const noexcept { return *workers_[index]; }
  BlockingPool& blocking_pool() noexcept { return blocking_; }
  // Returns true if a job waits that a sleeping worker could take, and no worker searches. The
  // state may last for a moment; if it persists, the parking protocol is broken.
  bool has_neglected_job() const noexcept {
    return idle_->needs_searcher() && is_work_visible(false) == Idle::Visible::kJobs;
  }

  // --- users ---
  Stats stats() const;
  std::string describe() const;
  std::vector<StackUse> stack_use() const;
  // Releases the memory of idle stacks, except for `but` stacks of each worker and size. Returns
  // when all workers have done it. Throws Error(kStopped), Error(kForked), Error(kNoStack), or
  // std::bad_alloc.
  void trim(std::size_t keep);
  // Returns when each worker has left the jobs that ended before the call. Throws as trim() does.
  void quiesce();

 private:
  template <class F>
  void call_on_each_worker(const F& function);

  void start_threads();
  // The whole life of a worker's thread.
  void run_thread(unsigned index);
  // Binds the calling thread, which becomes worker `index`, as the options require.
  void bind_thread(unsigned index) const noexcept;
  // Returns the memory node for all memory of worker `index`.
  os::Node node_of(unsigned index) const noexcept;
  void stop_threads() noexcept;
  void wait_until_quiescent();
  bool stop_daemons();

  const WatchLimits watch_limits_;
  SwitchHooks hooks_;
  BlockingPool blocking_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<RunningWatchdog> watchdog_;
};

}  // namespace jobs::inline JOBS_ABI::detail
