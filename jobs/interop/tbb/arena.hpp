// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The place where algorithms run: task_arena, this_task_arena, info::default_concurrency.
//
// An arena with a number of threads is a jobs::Scheduler with this number of workers. An arena
// without one is the default scheduler.
//
// Differences from oneTBB:
// - Arenas do not share workers.
// - execute() of an arena with a number runs its function on a worker, not on the caller.
// - Priorities and reserved slots have no effect.
// - A limit of global_control counts for an arena when it starts, and does not change it later.
// - There are no constraints for NUMA nodes and core types.
//
// Threads: an external thread, outside of all arenas, participates in the algorithms that it calls,
// in addition to the workers. There, max_concurrency() and default_concurrency() are worker_count()
// + 1. An array of this size suffices for current_thread_index(), which is smaller within one
// algorithm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/control.hpp"
#include "jobs/interop/tbb/task.hpp"
#include "jobs/per_worker.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Tag: task_arena(attach) is the arena of the caller. Here it is the default scheduler.
class attach {};

/// A scheduler with its own workers, or the default scheduler; the head of the file lists the
/// differences.
///
/// The destructor waits for enqueued functions. A job of the arena must not destroy it.
///
/// @snippet interop.cpp arena
class task_arena {
 public:
  /// The arena is the default scheduler.
  static constexpr int automatic = -1;
  /// A value of oneTBB, not used here.
  static constexpr int not_initialized = -2;
  /// Priorities of oneTBB, without effect here.
  enum class priority { low, normal, high };
  /// The tag jobs::tbb::attach.
  using attach = tbb::attach;

  /// An arena with this number of workers, or with fewer ones if a global_control is in effect when
  /// it starts. It starts them at its first use.
  explicit task_arena(int max_concurrency = automatic, unsigned = 1, priority = priority::normal)
      : max_concurrency_(max_concurrency) {}
  /// The default scheduler.
  explicit task_arena(attach) : task_arena() {}
  /// A new arena with the same number of workers.
  task_arena(const task_arena& other) : task_arena(other.max_concurrency_) {}

  /// Starts the workers. Other functions do it on demand. Any thread may call it, concurrently.
  void initialize() {
    const std::lock_guard guard(mutex_);
    start();
  }
  /// The same; the number is used only by the first call.
  void initialize(int max_concurrency, unsigned = 1, priority = priority::normal) {
    const std::lock_guard guard(mutex_);
    if (!is_active_) max_concurrency_ = max_concurrency;
    start();
  }
  /// Waits for the enqueued functions and stops the workers. Not while another thread uses the
  /// arena.
  void terminate() {
    const std::lock_guard guard(mutex_);
    scheduler_.reset();
    is_active_ = false;
  }
  /// Returns true if the workers have been started.
  bool is_active() const {
    const std::lock_guard guard(mutex_);
    return is_active_;
  }
  /// Returns the number of threads that can be in the arena at a time.
  int max_concurrency() const {
    return max_concurrency_ == automatic ? detail::default_concurrency() : max_concurrency_;
  }

  /// Calls f() in the arena and returns its result or throws its exception. Blocks until f()
  /// returns, as in oneTBB. Unlike there, an arena with a number runs f() on one of its workers.
  template <class F>
  auto execute(F&& f) -> decltype(f()) {
    initialize();
    if (scheduler_) return scheduler_->run(f);
    if (detail::is_outside()) return detail::in_arena(f);
    return jobs::detail::run_and_wait(jobs::detail::default_shared(), f);
  }
  /// Runs f() on a worker at a later time. An exception of f() terminates the program.
  template <class F>
  void enqueue(F&& f) {
    execute([&] { spawn(std::decay_t<F>(std::forward<F>(f))); });
  }
  /// Runs the task of a handle on a worker at a later time. Its group counts it.
  void enqueue(task_handle&& handle) {
    enqueue([owned = handle.release()] { owned->run(); });
  }

 private:
  void start() {
    if (is_active_) return;
    if (max_concurrency_ != automatic) {
      const std::size_t workers = std::min(static_cast<std::size_t>(max_concurrency_),
                                           detail::Limits::of_process().workers());
      scheduler_.emplace(SchedulerOptions{.worker_count = static_cast<unsigned>(workers),
                                          .stack_size = detail::Limits::of_process().stack()});
    }
    is_active_ = true;
  }

  int max_concurrency_;
  mutable std::mutex mutex_;
  bool is_active_ = false;
  std::optional<Scheduler> scheduler_;
};

namespace this_task_arena {

/// Returns the number of threads that can be in the arena of the caller, external participants
/// included.
inline int max_concurrency() {
  const jobs::detail::WorkerNumbers numbers;
  if (detail::is_outside()) return detail::default_concurrency();
  const bool is_external = numbers.of_caller() == jobs::detail::WorkerNumbers::kNone;
  const bool may_have_guest = is_external || jobs::detail::runs_on(jobs::detail::default_shared());
  return static_cast<int>(numbers.count()) + (may_have_guest ? 1 : 0);
}
/// Returns the index of the worker that runs the caller. On any other thread, returns
/// worker_count().
inline int current_thread_index() {
  const jobs::detail::WorkerNumbers numbers;
  const std::size_t index = numbers.of_caller();
  return static_cast<int>(index == jobs::detail::WorkerNumbers::kNone ? numbers.count() : index);
}
/// Calls f(). A waiting job never runs another one on top of itself, so there is nothing to
/// isolate.
template <class F>
auto isolate(F&& f) -> decltype(f()) {
  return f();
}
/// Runs f() as a job of the caller's arena at a later time.
template <class F>
void enqueue(F&& f) {
  spawn(std::forward<F>(f));
}
/// Runs the task of a handle as a job of the caller's arena at a later time. Its group counts it.
inline void enqueue(task_handle&& handle) {
  spawn([owned = handle.release()] { owned->run(); });
}

}  // namespace this_task_arena

namespace info {

/// Returns the number of threads of the default arena: its workers and one external participant.
inline int default_concurrency() { return detail::default_concurrency(); }

}  // namespace info
}  // namespace jobs::inline JOBS_ABI::tbb
