// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Scheduler is a set of worker threads; free functions find the current one.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/scheduler_options.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI {

/// A set of worker threads with their fibers and queues.
///
/// A program may create any number of schedulers. Programs that need no scheduler of their own use
/// the free functions (spawn(), fork_join(), parallel_for(), …). These find the scheduler of the
/// calling job; on other threads they use the default scheduler. The default scheduler starts at
/// its first use with default options and is never destroyed: static destructors may use it.
/// Detached jobs that have not run when `main` returns may never run.
///
/// @snippet scheduling.cpp scheduler
class JOBS_EXPORT Scheduler {
 public:
  /// Starts the workers.
  ///
  /// If the constructor throws, no thread runs.
  ///
  /// @param options  workers, stacks, hooks and reports
  /// @throws Error(kBadEnvironment) if JOBS_NUM_WORKERS is malformed
  /// @throws Error(kBadArgument) if an option is out of range, or if the thread to bind belongs to
  ///   a scheduler already
  /// @throws std::system_error if a thread cannot be started
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers)
  /// @thread_safety any thread
  explicit Scheduler(SchedulerOptions options = {});
  /// Shuts the scheduler down, as shutdown().
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs f as a job of this scheduler, waits for it and returns its result.
  ///
  /// A worker of this scheduler calls f in place. A job of another scheduler suspends its fiber
  /// meanwhile; an external thread is parked.
  ///
  /// @param f  callable without arguments
  /// @returns result of f
  /// @throws exception that f threw
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <std::invocable F>
  JOBS_TAG_OF_MODE std::invoke_result_t<F&> run(F&& f) {
    return detail::run_and_wait(*shared_, f);
  }

  /// @cond internal
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F>
    requires(!std::invocable<F>)
  auto run(F&&) {
    static_assert(detail::kNever<F>,
                  "jobs::Scheduler::run: function must be callable without arguments");
    return detail::Anything();
  }
  /// @endcond

  /// Refuses external work, drains all jobs and fibers, and stops the workers.
  ///
  /// The call waits until all jobs and fibers have ended, including jobs and fibers that they
  /// spawn. Further calls do nothing. The program aborts if a job of this scheduler calls it, or,
  /// with SchedulerOptions::bind_caller, a thread other than the bound one.
  ///
  /// @complexity the time of the remaining jobs
  /// @thread_safety any external thread; with a bound thread only that thread
  void shutdown();

  /// Runs the jobs that have arrived for the bound thread; for its main loop.
  ///
  /// The function requires a bound thread (SchedulerOptions::bind_caller). It runs jobs for
  /// `main_thread` or `worker(0)`, and returns when each of them has ended or waits. Other jobs run
  /// meanwhile only as fairness demands. It aborts on a thread other than the bound one.
  ///
  /// @snippet scheduling.cpp main_thread
  ///
  /// @throws Error(kBadArgument) if no thread is bound
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity one check of the inbox if there are no such jobs
  /// @thread_safety the bound thread
  void run_main_thread_jobs();

  /// Returns the number of workers, retired workers included.
  ///
  /// @returns number of workers, at least 1
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  unsigned worker_count() const noexcept;
  /// Returns the figures of the scheduler.
  ///
  /// @returns sums and maxima since the start
  /// @complexity a few microseconds
  /// @thread_safety any thread or fiber, concurrently
  Stats stats() const;
  /// Returns a human-readable line about the set-up.
  ///
  /// The line states the number of workers and its reason, their stacks, and the limits of the
  /// machine. It names the implementation of switches: "native x86-64", "native AArch64" or, for
  /// example, "Boost.Context 1.74".
  ///
  /// @returns one line without a line break
  /// @throws std::bad_alloc if there is no memory
  /// @thread_safety any thread or fiber, concurrently
  std::string describe() const;
  /// Returns the measured stack use of Fibers, per creation site.
  ///
  /// @returns one entry per call site that has created Fibers, in no particular order; empty unless
  ///   SchedulerOptions::measure_stacks or SchedulerOptions::automatic_stacks is set
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(creation sites)
  /// @thread_safety any thread or fiber, concurrently
  std::vector<StackUse> stack_use() const;
  /// Releases the memory of idle stacks to the system.
  ///
  /// The most recently used stacks of each worker and size are excepted. An idle fiber keeps one
  /// page, or none if its worker has too many. The call is for the time after a load peak that will
  /// not recur. It runs a job on each worker and waits for all of them.
  ///
  /// @param keep  number of stacks to keep per worker and stack size
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kNoStack) see @ref waiting
  /// @throws std::bad_alloc if there is no memory
  /// @complexity about 1 us per stack
  /// @thread_safety any thread or fiber, concurrently
  void trim(std::size_t keep = 0);

 private:
  friend class ParallelPhase;

  std::unique_ptr<detail::SchedulerCore> core_;
  detail::Shared* const shared_;  // part of the core
};

/// Shuts the default scheduler down: drains it and joins its threads.
///
/// The function is for hosts that unload the library. After the call, unbound threads get
/// Error(kStopped).
///
/// @complexity the time of the remaining jobs
/// @thread_safety any external thread
JOBS_EXPORT void shutdown_default();

/// Waits until every worker has left the code of ended jobs.
///
/// The call covers every job that ended before it. A wait may return while a worker still executes
/// the last instructions of the job. A host calls this function after its last wait for the jobs of
/// a plugin, and before `dlclose()` (docs/plugins.md). It concerns the scheduler of the calling
/// thread, or the default scheduler. It runs an empty job on each worker, so it also waits for a
/// job that keeps its worker.
///
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kNoStack) see @ref waiting
/// @throws std::bad_alloc if there is no memory
/// @complexity one job per worker
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void quiesce();

/// Returns the number of workers of the scheduler that free functions use here.
///
/// The default scheduler starts if the calling thread uses it and it does not run.
///
/// @returns number of workers, retired workers included
/// @throws exception of starting the default scheduler
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT unsigned worker_count();
/// Returns the index of the worker that runs the caller.
///
/// The index does not change while the job runs.
///
/// @returns index from 0; empty on a thread that is not a worker
/// @complexity O(1)
/// @thread_safety any thread or fiber
[[nodiscard]] JOBS_EXPORT std::optional<unsigned> worker_index() noexcept;

}  // namespace jobs::inline JOBS_ABI
