// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Scheduler is a set of worker threads; free functions find the current one.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/deadline.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/default_scheduler.hpp"
#include "jobs/error.hpp"
#include "jobs/report_types.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/prewarm.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/scheduler_options.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/stats.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI {

/// A set of worker threads with their fibers and queues.
///
/// A program may create any number of schedulers. Programs that need no scheduler of their own use
/// the free functions (spawn(), fork_join(), parallel_for(), …). These use the current scheduler:
/// that of the calling job or bound thread, also inside of its blocking(). On an external thread it
/// is the scheduler of the innermost SchedulerScope, or else the default scheduler. The default
/// scheduler starts at its first use and is never destroyed: static destructors may use it.
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
  /// @cond internal
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class... Rest>
  explicit Scheduler(detail::Number auto, Rest&&...) : Scheduler(SchedulerOptions()) {
    static_assert(detail::kNever<Rest...>,
                  "jobs::Scheduler: takes options, such as {.worker_count = 4}");
  }
  /// @endcond
  /// Shuts the scheduler down, as shutdown().
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Returns the current scheduler: the one that free functions use here.
  ///
  /// It is the scheduler of the calling job or bound thread. Otherwise it is the scheduler of the
  /// innermost SchedulerScope of the calling thread, or of the job that has called blocking().
  /// Otherwise it is the default scheduler, which starts if it does not run.
  ///
  /// @snippet scheduling.cpp current_scheduler
  ///
  /// @returns scheduler; valid while it exists, which is at least as long as the calling job or
  ///   scope
  /// @throws exception of starting the default scheduler
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] static Scheduler& current();

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

  /// Starts a job of this scheduler that calls function() once; the counter tracks its end.
  ///
  /// The call does not wait. It has the meaning and the price of the free spawn(), which it
  /// replaces on threads of other schedulers and of none. A worker of this scheduler spawns onto
  /// itself. From elsewhere the job goes to the queue that all workers of this scheduler share.
  ///
  /// @snippet scheduling.cpp scheduler_spawn
  ///
  /// @param counter  tracks the job; it must live until its `wait()` has returned
  /// @param function  callable without arguments
  /// @param options  place and priority of the job
  /// @throws std::bad_alloc if there is no memory; nothing was spawned, and the counter is
  /// unchanged
  /// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned, and the counter is
  ///   unchanged
  /// @throws Error(kForked) in a child process that inherited the scheduler; nothing was spawned,
  ///   and the counter is unchanged
  /// @throws Error(kBadArgument) if the scheduler does not have the place, or if the priority is no
  ///   value of jobs::Priority; nothing was spawned, and the counter is unchanged
  /// @complexity O(1); one allocation, except on a worker of this scheduler, which allocates
  /// nothing
  ///   for closures of up to 96 bytes in the steady state
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  JOBS_TAG_OF_MODE void spawn(Counter& counter, F&& function, SpawnOptions options = {}) {
    detail::spawn_into(*shared_, &counter, std::forward<F>(function), options);
  }
  /// Starts a detached job of this scheduler that calls function() once.
  ///
  /// As the other spawn(), without a counter. An exception of the function goes to
  /// SchedulerOptions::on_unhandled of this scheduler; without this hook the program ends by
  /// std::terminate. The destructor of the scheduler waits for the job.
  ///
  /// @param function  callable without arguments
  /// @param options  place and priority of the job
  /// @throws std::bad_alloc if there is no memory; nothing was spawned
  /// @throws Error(kStopped) if the scheduler is shut down; nothing was spawned
  /// @throws Error(kForked) in a child process that inherited the scheduler; nothing was spawned
  /// @throws Error(kBadArgument) if the scheduler does not have the place, or if the priority is no
  ///   value of jobs::Priority; nothing was spawned
  /// @complexity O(1); one allocation, except on a worker of this scheduler, which allocates
  /// nothing
  ///   for closures of up to 96 bytes in the steady state
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  JOBS_TAG_OF_MODE void spawn(F&& function, SpawnOptions options = {}) {
    detail::spawn_into(*shared_, nullptr, std::forward<F>(function), options);
  }

  /// @cond internal
  // Wrong calls (jobs/base/wrong_call.hpp).
  template <class F>
    requires(!std::invocable<F>)
  auto run(F&&) {
    static_assert(detail::kNever<F>,
                  "jobs::Scheduler::run: function must be callable without arguments");
    return detail::Anything();
  }
  template <class F, class... Rest>
    requires(!std::invocable<std::decay_t<F>&> && !std::same_as<std::remove_cvref_t<F>, Counter>)
  auto spawn(F&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::Scheduler::spawn: function must be callable without arguments");
  }
  template <class F, class... Rest>
    requires(!std::invocable<std::decay_t<F>&>)
  auto spawn(Counter&, F&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::Scheduler::spawn: function must be callable without arguments");
  }
  template <class F, class Options, class... Rest>
    requires(std::invocable<std::decay_t<F>&> && !std::convertible_to<Options, SpawnOptions>)
  auto spawn(F&&, Options&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::Scheduler::spawn: takes (function) or (counter, function), then options "
                  "such as {.priority = jobs::Priority::kHigh}");
  }
  /// @endcond

  /// Refuses external work, drains all jobs and fibers, and stops the workers.
  ///
  /// The call waits until all jobs and fibers have ended, including jobs and fibers that they
  /// spawn. It also waits for external threads inside of a loop, fork_join(), graph or pipeline of
  /// this scheduler; their calls run to the end, and may spawn jobs. Jobs that wait for a vacant
  /// worker run on a thread that the call starts. If the call has waited for
  /// SchedulerOptions::shutdown_report_after, it reports once what it waits for.
  ///
  /// Several threads may call it concurrently; each call returns when the workers have stopped.
  /// Later calls do nothing. The program aborts in these cases: a job of this scheduler calls it,
  /// also through blocking(); a thread is bound by bind_current_thread(); with
  /// SchedulerOptions::bind_caller, a thread other than the bound one calls it.
  ///
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @complexity the time of the remaining jobs
  /// @thread_safety any external thread, concurrently; with a bound thread only that thread
  void shutdown();
  /// Shuts down as shutdown() does, until a point in time.
  ///
  /// After false, the scheduler refuses work from outside, and its workers continue with the
  /// remaining jobs. report() describes these. A later call of any form of shutdown completes it.
  ///
  /// @snippet scheduling.cpp shutdown_for
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @returns true if the workers have stopped, false if the deadline passed first
  /// @throws Error(kBadArgument) if the time is NaN; the scheduler is unchanged
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @complexity the time of the remaining jobs
  /// @thread_safety as shutdown()
  template <class Clock, class Duration>
  [[nodiscard]] bool shutdown_until(const std::chrono::time_point<Clock, Duration>& when) {
    return shutdown_before(detail::to_deadline(when));
  }
  /// Shuts down as shutdown_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @returns true if the workers have stopped, false if the deadline passed first
  /// @throws Error(kBadArgument) if the time is NaN; the scheduler is unchanged
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @complexity the time of the remaining jobs
  /// @thread_safety as shutdown()
  template <class Rep, class Period>
  [[nodiscard]] bool shutdown_for(const std::chrono::duration<Rep, Period>& timeout) {
    return shutdown_before(detail::to_deadline(timeout));
  }

  /// Runs the jobs that have arrived for the bound thread; for its main loop.
  ///
  /// The function requires the thread that is bound as worker 0 (SchedulerOptions::bind_caller). It
  /// runs jobs for `main_thread` or `worker(0)`, and returns when each of them has ended or waits.
  /// Other jobs run meanwhile only as fairness demands. If the bound thread is the only worker,
  /// each call also runs one other job and the ready fibers, so that a loop of calls starves no
  /// job. It aborts on a thread other than the bound one.
  ///
  /// @snippet scheduling.cpp main_thread
  ///
  /// @throws Error(kBadArgument) if no thread is bound
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity one check of the inbox if there are no such jobs; with one worker also the time of
  ///   one other job
  /// @thread_safety the bound thread
  void run_main_thread_jobs();

  /// Binds the calling thread: it becomes a worker until the result is destroyed.
  ///
  /// The thread takes a free one of the workers that SchedulerOptions::bound_threads reserves, and
  /// serves jobs while it waits. It need not be the thread that constructed the scheduler. A thread
  /// may be bound to one scheduler after another, and to several in a nested way: it then serves
  /// the innermost one, and the bindings end in reverse order. A worker has no thread while it is
  /// vacant, or while its thread serves an inner binding. Jobs that only it may run wait meanwhile.
  ///
  /// The end of the binding waits for the fibers of the worker. A thread that holds a lock that one
  /// of them awaits writes a line after a second. The program aborts if the thread holds a
  /// SpinLock, or ends while it is bound.
  ///
  /// @snippet scheduling.cpp bind_current_thread
  ///
  /// @returns binding; its destructor ends it
  /// @throws Error(kBadArgument) if no such worker is free, if the thread runs a job or a loop, or
  ///   if it is bound to this scheduler already
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @throws Error(kNoStack) see @ref waiting
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(bound_threads), some microseconds
  /// @thread_safety any thread that runs no job
  [[nodiscard]] ThreadBinding bind_current_thread();

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
  /// Returns a report of this scheduler, as reports() does for all schedulers.
  ///
  /// It lists what has not ended: each Fiber and job that runs or waits, with its name, its
  /// creation site and its wait. A static program that calls it contains the reports, 40 KB.
  ///
  /// @param timeout  longest time to wait for the answers of the workers
  /// @returns report; empty after shutdown
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(fibers)
  /// @thread_safety any thread, job or fiber, concurrently
  [[nodiscard]] Report report(std::chrono::milliseconds timeout = kReportTimeout) const;
  /// Releases unused memory of the workers to the system.
  ///
  /// - Idle stacks. The most recently used stacks of each worker and size are excepted. An idle
  ///   fiber keeps one page, or none if its worker has too many.
  /// - Slabs for jobs and memory_resource() without a block in use (Stats::slab_bytes). One block
  /// in
  ///   use keeps 64 KiB.
  /// - Rings of queues that have grown for many pending jobs.
  /// - Free pages of the heap, by malloc_trim(), where the C library has it. Jobs spawned by
  /// threads
  ///   that are not workers lie there.
  ///
  /// The call is for the time after a load peak that will not recur. It runs a job on each worker
  /// and waits for all of them. Without it, a sleeping worker releases slabs and rings that it has
  /// not needed for a second, except for 1 MiB; it wakes up for that, and does so once after a
  /// peak. shutdown() releases all of them.
  ///
  /// @param keep  number of stacks to keep per worker and stack size
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kNoStack) see @ref waiting
  /// @throws std::bad_alloc if there is no memory
  /// @complexity about 1 us per stack and 12 ns per free block
  /// @thread_safety any thread or fiber, concurrently
  void trim(std::size_t keep = 0);

  /// Prepares stacks, so that the first use of as many fibers maps none.
  ///
  /// After the call, at least `fibers` stacks of the size are ready, besides the idle stacks of the
  /// workers. They have their guards, and their first page is in memory. If the machine has several
  /// memory nodes and the workers are not bound to them, the page comes with the first use, on the
  /// node of the worker. Any worker takes the stacks. With workers bound to nodes, each node gets
  /// the share of its workers. A second call prepares only what is missing. trim() releases the
  /// pages again.
  ///
  /// @snippet scheduling.cpp prewarm
  ///
  /// @param fibers  number of Fibers and jobs that will wait at a time
  /// @param stack_size  FiberOptions::stack_size of the Fibers; 0: the size of jobs
  /// @throws Error(kNoStack) if SchedulerOptions::max_fibers or the system does not allow as many
  ///   stacks; stacks that were prepared before the system refused one stay
  /// @throws Error(kBadArgument) if the size is less than 16 KiB or greater than 1 GiB
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(fibers), a page fault each, and a system call each before Linux 6.15; no worker
  ///   takes part
  /// @thread_safety any thread, job or fiber, concurrently
  void prewarm(std::size_t fibers, std::size_t stack_size = 0) {
    detail::prewarm(*shared_, fibers, stack_size);
  }

 private:
  friend class ParallelPhase;
  friend class SchedulerScope;
  friend Scheduler& default_scheduler();

  // The public object of the default scheduler, which has no owner.
  explicit Scheduler(detail::Shared& shared) noexcept;
  // Returns the public object of a scheduler.
  static Scheduler& of(detail::SchedulerCore& core);
  bool shutdown_before(os::Nanoseconds deadline);

  // Both are null for the default scheduler.
  std::unique_ptr<const detail::OnHeap<SchedulerOptions>> options_;
  std::unique_ptr<detail::SchedulerCore> core_;
  detail::Shared* const shared_;  // part of the core
};

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
