// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: starts, stops and describes the workers of one scheduler. It derives from Shared,
// the state that the workers use at run time, and owns the workers. A jobs::Scheduler owns it;
// scheduler_core.cpp has the steps of starting, scheduler_stop.cpp those of stopping.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/runtime/diagnostics/watch_limits.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/fibers/switch_hooks.hpp"
#include "jobs/runtime/scheduler/blocking_pool.hpp"
#include "jobs/runtime/scheduler/bound_slots.hpp"
#include "jobs/runtime/scheduler/worker_cpus.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI {

class Scheduler;

namespace detail {

class JOBS_EXPORT SchedulerCore final : public Shared {
 public:
  // `read_worker_cpus`: may be null if the options have no `worker_cpus`. `object`: the public
  // object of the scheduler; null: it has none yet.
  // `options` and `diagnostics` must outlive this object.
  SchedulerCore(const SchedulerOptions& options, const Diagnostics& diagnostics,
                ReadWorkerCpus read_worker_cpus = nullptr, Scheduler* object = nullptr);
  ~SchedulerCore();
  // Rejects work from outside, waits for all jobs and fibers, and stops the workers. Returns their
  // unused memory to the system. If that takes long, reports once what it waits for. Concurrent
  // calls return when the workers have stopped. Throws Error(kForked).
  void shutdown();
  // As shutdown(), until a deadline. Returns whether the workers have stopped. Makes no report. If
  // it returns false, the scheduler continues to drain, and a later call completes the shutdown.
  bool shutdown_before(os::Nanoseconds deadline);

  // Returns the SchedulerCore of which `shared` is a part: each Shared is a part of one.
  static SchedulerCore& of(Shared& shared) noexcept { return static_cast<SchedulerCore&>(shared); }

  // The public object of the scheduler. If it has none, make() creates one, which lives as long as
  // the scheduler. Any thread.
  using PublicObject = std::unique_ptr<Scheduler, void (*)(Scheduler*)>;
  Scheduler& public_object(PublicObject (*make)(SchedulerCore&));

  // Makes jobs start inline. By the creator, before another thread knows the scheduler.
  void run_inline(RunPushed run) noexcept { run_pushed_ = run; }
  // Makes jobs run on threads of their own. By the creator, as run_inline().
  void run_on_threads(SubmitToThread submit_job) noexcept {
    submit_to_thread_ = submit_job;
    for (const auto& worker : workers_) worker->context().refuse_spawned();
  }
  // Counts a job that takes a thread of the blocking pool. Returns false if as many jobs as the
  // pool has threads at most have one. Any thread.
  bool take_job_thread() noexcept {
    if (job_threads_.fetch_add(1, std::memory_order_relaxed) < options_.max_blocking_threads)
      return true;
    return_job_thread();
    return false;
  }
  void return_job_thread() noexcept { job_threads_.fetch_sub(1, std::memory_order_relaxed); }
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

  // --- threads that the program owns ---
  // Makes the calling thread a worker, and returns the index of the worker. Throws
  // Error(kBadArgument), Error(kStopped), Error(kForked), Error(kNoStack), std::bad_alloc.
  unsigned bind_current_thread();
  // Ends that. Returns when the pinned work of the worker has ended.
  void unbind_current_thread(unsigned index) noexcept;

  // --- users ---
  Stats stats() const;
  std::string describe() const;
  std::vector<StackUse> stack_use() const;
  // Releases unused memory of the workers, except for `keep` stacks of each worker and size.
  // Returns when all workers have done it. Throws Error(kStopped), Error(kForked), Error(kNoStack),
  // or std::bad_alloc.
  void trim(std::size_t keep);
  // Prepares stacks of that size, or of the loops for 0, on the memory nodes of the workers. Throws
  // Error(kNoStack), Error(kBadArgument), Error(kStopped), Error(kForked) or std::bad_alloc.
  void prewarm(std::size_t fibers, std::size_t stack_size);
  // Returns when each worker has left the jobs that ended before the call. Throws as trim() does.
  void quiesce();

 private:
  template <class F>
  void call_on_each_worker(const F& function);
  static void thread_ended(void* core);
  bool submit_to_worker(unsigned index, Job& job, JobMessage& message);
  void check_may_bind() const;
  // Refuses further threads and work from outside. Aborts if a thread is bound. Idempotent.
  void close();
  // Starts threads for the vacant workers, because jobs may wait there. If a thread cannot start,
  // writes one line, and returns true: the caller tries again later.
  bool serve_vacant_slots() noexcept;

  void start_threads();
  // The whole life of a worker's thread.
  void run_thread(unsigned index);
  // Makes the calling thread worker `index`, and ends that, with the hooks of the options.
  void bind(unsigned index);
  void unbind(unsigned index) noexcept;
  // Binds the calling thread, which becomes worker `index`, as the options require.
  void bind_thread(unsigned index) const noexcept;
  // Returns the memory node for all memory of worker `index`.
  os::Node node_of(unsigned index) const noexcept;
  void release_memory() noexcept;
  void stop_threads() noexcept;
  void check_may_stop();
  bool drain(os::Nanoseconds deadline);
  void stop_daemons();

  const WatchLimits watch_limits_;
  const ReportShutdown report_shutdown_;
  SwitchHooks hooks_;
  BlockingPool blocking_;
  WorkerCpus worker_cpus_;  // null: the options restrict no worker
  HeapArray<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<RunningWatchdog> watchdog_;
  BoundSlots slots_;
  bool has_reported_vacancy_ = false;  // serve_vacant_slots() writes one line.
  ThreadMutex object_mutex_;           // Guards the members below.
  Scheduler* object_;
  PublicObject own_object_{nullptr, nullptr};
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
