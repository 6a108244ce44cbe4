// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: a set of worker threads, their fibers and their queues. A value: make as many as you like. Programs that do not need
// one of their own use the free functions (spawn, fork_join, parallel_for ...), which find the scheduler of the calling job, else
// the default one.
//
//   jobs::Scheduler scheduler({.worker_count = 4});
//   const double sum = scheduler.run([&] { return jobs::parallel_reduce(0, n, 0.0, f, std::plus{}); });
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

class JOBS_EXPORT Scheduler {
 public:
  // Starts the workers. Throws Error(kBadEnvironment) for a bad JOBS_NUM_WORKERS, Error(kBadArgument) for impossible options or
  // a bound thread that belongs to a scheduler already, std::system_error if a thread cannot be started; nothing runs then.
  explicit Scheduler(SchedulerOptions options = {});
  // As shutdown().
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Runs f as a job here, waits for it and returns its result or throws what it threw. Any thread; in place if the caller is one
  // of its workers. A job of another scheduler suspends its fiber meanwhile. Throws Error(kStopped) after shutdown.
  template <std::invocable F>
  JOBS_TAG_OF_MODE std::invoke_result_t<F&> run(F&& f) {
    return detail::run_and_wait(*shared_, f);
  }

  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F>
  requires(!std::invocable<F>) auto run(F&&) {
    static_assert(detail::kNever<F>, "jobs::Scheduler::run: function must be callable without arguments");
    return detail::Anything();
  }

  // Refuses work from outside, waits until all jobs and fibers have ended, what they spawn included, and stops the workers.
  // Idempotent. Aborts if one of its own jobs calls it, or, with bind_caller, another thread than the bound one.
  void shutdown();

  // For the main loop of a program whose thread is bound (SchedulerOptions::bind_caller): runs the jobs for main_thread, or for
  // worker(0), that have arrived, and returns when each has ended or waits. Jobs for others run meanwhile only as fairness demands.
  // One look at the inbox if there are none. Throws Error(kBadArgument) if no thread is bound, Error(kStopped), Error(kNoStack);
  // aborts on another thread.
  void run_main_thread_jobs();

  unsigned worker_count() const noexcept;
  // Takes microseconds; any thread.
  Stats stats() const;
  // One line: how many workers and why, their stacks, what switches fibers ("native x86-64", "native AArch64", "Boost.Context 1.74"), what
  // the machine allows. For people.
  std::string describe() const;
  // The use of stacks by Fibers, for each place in the program that has created some, in no particular order. Empty unless
  // SchedulerOptions::measure_stacks or automatic_stacks is set. Throws std::bad_alloc; any thread.
  std::vector<StackUse> stack_use() const;
  // The memory of idle stacks goes back to the system, but that of the `but` ones of each worker and size that would be used next; an
  // idle fiber keeps one page, or none if its worker has too many. Runs as a job on each worker and waits for all: after a
  // load that will not come again. About 1 us for each stack. Throws Error(kStopped), Error(kNoStack), std::bad_alloc; any thread.
  void trim(std::size_t but = 0);

 private:
  friend class HotRegion;

  std::unique_ptr<detail::SchedulerCore> core_;
  detail::Shared* const shared_;  // part of the core
};

// The scheduler that unbound threads use. It starts at the first use, with default options, and is never destroyed: programs may
// use it in static destructors, and detached jobs that have not run when main returns may never run.
// Stops it: drains and joins its threads. For those who unload the library; afterwards unbound threads get Error(kStopped).
JOBS_EXPORT void shutdown_default();

/// Returns when each worker has left the code of every job that ended before the call.
///
/// A wait may return while a worker still executes the last instructions of the job. A host calls this function after its last wait for
/// the jobs of a plugin, and before dlclose() (docs/plugins.md). It concerns the scheduler of the calling thread, else the default
/// scheduler. It runs an empty job on each worker, so it also waits for a job that keeps its worker.
///
/// @throws Error(kStopped), Error(kNoStack), std::bad_alloc
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void quiesce();

// Workers of the scheduler that the calling thread's free functions would use. Starts the default one if need be.
[[nodiscard]] JOBS_EXPORT unsigned worker_count();
// The worker that the caller runs on, from 0; the same one as long as the job runs. Empty on a thread that is none.
[[nodiscard]] JOBS_EXPORT std::optional<unsigned> worker_index() noexcept;

}  // namespace jobs::inline JOBS_ABI
