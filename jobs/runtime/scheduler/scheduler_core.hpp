// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: starts, stops and describes the workers of one scheduler. It derives from Shared, the state that the workers use at run
// time, and owns the workers. Behind jobs::Scheduler; scheduler_core.cpp has the steps of starting and stopping.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/runtime/diagnostics/watchdog.hpp"
#include "jobs/runtime/fibers/switch_hooks.hpp"
#include "jobs/runtime/scheduler/blocking_pool.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT SchedulerCore final : public Shared {
 public:
  explicit SchedulerCore(const SchedulerOptions& options);
  ~SchedulerCore();
  // Refuses work from outside, waits for all jobs and fibers, stops the workers. Throws Error(kForked).
  void shutdown();

  // Each Shared is part of a SchedulerCore.
  static SchedulerCore& of(Shared& shared) noexcept { return static_cast<SchedulerCore&>(shared); }

  // Runs the jobs for the bound thread that have arrived. By that thread.
  void run_main_thread_jobs();
  // While the CoreList has the scheduler, or its watchdog runs.
  Worker& worker_at(unsigned index) const noexcept { return *workers_[index]; }
  BlockingPool& blocking_pool() noexcept { return blocking_; }
  // A job waits that a sleeping worker could take, and no worker searches: for a moment, or the idle protocol is broken.
  bool neglects_a_job() const noexcept {
    return idle_->does_nobody_look() && is_work_visible(false) == Idle::Visible::kJobs;
  }

  // --- users ---
  Stats stats() const;
  std::string describe() const;
  std::vector<StackUse> stack_use() const;
  // Releases the memory of idle stacks, except for `but` stacks of each worker and size. Returns when all workers have done it. Throws
  // Error(kStopped), Error(kForked), Error(kNoStack), std::bad_alloc.
  void trim(std::size_t but);
  // Returns when each worker has left the jobs that ended before. Throws the same.
  void quiesce();

 private:
  template <class F>
  void call_on_each_worker(const F& function);

  void start_threads();
  // Binds the calling thread, which becomes that worker, as the options say.
  void bind_thread(unsigned index) const noexcept;
  // The memory node for all that the worker owns.
  os::Node node_of(unsigned index) const noexcept;
  void stop_threads() noexcept;
  void wait_until_quiescent();
  bool recall_daemons();

  const WatchLimits watch_limits_;
  SwitchHooks hooks_;
  BlockingPool blocking_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<Watchdog> watchdog_;
};

}  // namespace jobs::inline JOBS_ABI::detail
