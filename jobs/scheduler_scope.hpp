// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// SchedulerScope and ThreadBinding: the scheduler of a thread that the program owns.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"

namespace jobs::inline JOBS_ABI {

class Scheduler;

/// Makes a scheduler the current one for an external thread, during a C++ scope.
///
/// Inside the scope, the free functions that the thread calls use this scheduler instead of the
/// default one: spawn(), fork_join(), loops, graphs, pipelines, Fibers, worker_count(), … The
/// thread stays external: it runs its own loops and forks, and no other jobs. Scopes may be nested,
/// also with the same scheduler; the innermost one counts. They do not affect other threads.
///
/// The program aborts if a scope ends before an inner scope, or on another thread, and if a
/// scheduler is destroyed before one of its scopes.
///
/// @snippet scheduling.cpp scheduler_scope
class JOBS_EXPORT SchedulerScope {
 public:
  /// Makes the scheduler the current one.
  ///
  /// @param scheduler  it must live until the scope has ended
  /// @throws Error(kBadArgument) if the thread is a worker or runs a loop: its scheduler is given
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kForked) in a child process that inherited the scheduler
  /// @complexity O(1), no allocation
  /// @thread_safety any external thread
  explicit SchedulerScope(Scheduler& scheduler);
  /// Makes the previous scheduler the current one again.
  ///
  /// It aborts on another thread, inside of a loop, and while an inner scope exists.
  ~SchedulerScope();
  SchedulerScope(const SchedulerScope&) = delete;
  SchedulerScope& operator=(const SchedulerScope&) = delete;

 private:
  detail::ThreadScope scope_;
};

/// The time for which a thread is a worker of a scheduler; Scheduler::bind_current_thread() returns
/// it.
class JOBS_EXPORT [[nodiscard]] ThreadBinding {
 public:
  /// Unbinds the thread.
  ///
  /// The destructor runs what is pinned to the worker to its end: the jobs for this worker that
  /// have arrived, and the jobs and Fibers that have started there, daemons included. It leaves all
  /// other jobs to other workers. The program aborts if it runs on another thread, in a job, before
  /// a binding or scope that began later has ended, or while the thread holds a SpinLock. A fiber
  /// that waits for a lock of this thread keeps the destructor from returning.
  ///
  /// @complexity the time of the pinned work, and some microseconds
  /// @thread_safety the bound thread
  ~ThreadBinding();
  ThreadBinding(const ThreadBinding&) = delete;
  ThreadBinding& operator=(const ThreadBinding&) = delete;
  /// Returns the index of the worker that the thread is.
  ///
  /// @returns index, less than SchedulerOptions::bound_threads
  /// @complexity O(1)
  /// @thread_safety any thread or fiber
  unsigned worker_index() const noexcept { return index_; }

 private:
  friend class Scheduler;
  ThreadBinding(detail::Shared& shared, unsigned index) noexcept : shared_(shared), index_(index) {}

  detail::Shared& shared_;
  const unsigned index_;
};

}  // namespace jobs::inline JOBS_ABI
