// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The place where algorithms run: task_arena, this_task_arena, info::default_concurrency.
//
// An arena with a number of threads runs on a jobs::Scheduler with this number of workers. An arena
// without one is the default scheduler.
//
// Differences from oneTBB:
// - Arenas that are in use at a time do not share workers; others do (arena_pool.hpp). An arena has
//   at most as many workers as the default one, unless a global_control allows more.
// - execute() of an arena with a number runs its function on the caller only if no other thread has
//   the reserved slot, and otherwise on a worker (caller_seat.hpp). It is a worker for callers that
//   are in another arena, in programs that use indices, and in arenas that such callers start.
// - Priorities have no effect, and more than one reserved slot counts as one.
// - A limit of global_control counts for an arena when it starts, and does not change it later.
// - There are no constraints for NUMA nodes and core types.
//
// Threads: a thread outside of all arenas takes part in its algorithms beside the workers, unless
// the program uses indices (outside.hpp). Indices of threads are below max_concurrency().
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena_pool.hpp"
#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/caller_seat.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/control.hpp"
#include "jobs/interop/tbb/outside.hpp"
#include "jobs/interop/tbb/task.hpp"
#include "jobs/per_worker.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// The scheduler of the arena of the calling thread; null: it is outside of all arenas.
inline jobs::detail::Shared* shared_here() noexcept {
  if (!is_outside()) return &jobs::detail::this_context()->shared();
  ArenaScheduler* const seat = seat_of_thread();
  return seat != nullptr ? &seat->shared() : nullptr;
}

}  // namespace detail

class task_scheduler_observer;

/// Tag: task_arena(attach) is the arena of the caller.
class attach {};

/// A set of workers, or the default scheduler; the head of the file lists the differences.
///
/// While no function runs in an arena, another arena of the same size may use its workers.
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

  /// An arena for this number of threads. It starts its workers at its first use: this number, or
  /// as many as global_control::active_value() allows if they are fewer.
  ///
  /// `reserved_for_masters`: with 1 or more, a thread outside of all arenas that calls execute() is
  /// one of these threads, so there is one worker less.
  explicit task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1,
                      priority = priority::normal)
      : max_concurrency_(max_concurrency), has_seat_(reserved_for_masters != 0) {}
  /// The arena of the caller, which must outlive this object; outside of all arenas the default
  /// one.
  explicit task_arena(attach);
  /// A new arena with the same number of workers.
  task_arena(const task_arena& other)
      : task_arena(other.max_concurrency_, other.has_seat_ ? 1 : 0) {}

  /// Starts the workers. Other functions do it on demand. Any thread may call it, concurrently.
  void initialize() { static_cast<void>(lease()); }
  /// The same; the numbers are used only by the first call.
  void initialize(int max_concurrency, unsigned reserved_for_masters = 1,
                  priority = priority::normal) {
    {
      const std::scoped_lock guard(mutex_);
      if (!is_active_) {
        max_concurrency_ = max_concurrency;
        has_seat_ = reserved_for_masters != 0;
      }
    }
    initialize();
  }
  ~task_arena() { terminate(); }
  task_arena& operator=(const task_arena&) = delete;
  /// Waits for the enqueued functions and gives the workers up. Not while another thread uses the
  /// arena.
  void terminate() {
    const std::scoped_lock guard(mutex_);
    if (is_active_ && size_.workers != 0) detail::ArenaPool::of_process().release(this);
    size_ = {};
    attached_ = nullptr;
    attached_lease_.reset();
    is_active_ = false;
  }
  /// Returns true if the workers have been started.
  bool is_active() const {
    const std::scoped_lock guard(mutex_);
    return is_active_;
  }
  /// Returns the number of threads that can be in the arena at a time.
  int max_concurrency() const {
    return max_concurrency_ == automatic ? detail::default_concurrency() : max_concurrency_;
  }

  /// Calls f() in the arena and returns its result or throws its exception. Blocks until f()
  /// returns, as in oneTBB. An arena with a number may run f() on one of its workers; see the head
  /// of the file.
  template <class F>
  auto execute(F&& f) -> decltype(f()) {
    return execute_here([&]() -> decltype(f()) {
      detail::enter_arena();
      return f();
    });
  }
  /// Runs f() on a worker at a later time. An exception of f() terminates the program.
  template <class F>
  void enqueue(F&& f) {
    const detail::ArenaLease own = lease();
    const auto start = [&](jobs::detail::Shared& shared) {
      jobs::detail::spawn_into(shared, nullptr,
                               [function = std::decay_t<F>(std::forward<F>(f))]() mutable {
                                 detail::enter_arena();
                                 function();
                               });
    };
    if (attached_ != nullptr) return start(*attached_);
    if (own != nullptr) return start(own->shared());
    detail::spawn_in_arena([&] { start(jobs::detail::default_shared()); });
  }
  /// Runs the task of a handle on a worker at a later time. Its group counts it.
  void enqueue(task_handle&& handle) {
    enqueue([owned = handle.release()] { owned->run(); });
  }

 private:
  friend class task_scheduler_observer;

  // Returns the scheduler of an arena with workers of its own. Starts it if there is none.
  detail::ArenaLease lease() {
    const std::scoped_lock guard(mutex_);
    start();
    if (size_.workers == 0) return nullptr;
    return detail::ArenaPool::of_process().lease(this, size_);
  }
  // Returns the scheduler that the arena keeps from now on.
  jobs::detail::Shared& shared_for_observer() {
    const detail::ArenaLease own = lease();
    if (attached_ != nullptr) return *attached_;
    if (own == nullptr) return jobs::detail::default_shared();
    detail::ArenaPool::of_process().reserve(*own);
    return own->shared();
  }
  template <class F>
  auto execute_here(F&& f) -> decltype(f()) {
    const detail::ArenaLease own = lease();
    if (attached_ != nullptr) return jobs::detail::run_and_wait(*attached_, f);
    if (own != nullptr && own->has_extra_callers() && detail::is_outside()) {
      if (detail::seat_of_thread() == own.get()) return f();
      if (const detail::CallerSeat seat(*own); seat.is_taken()) return f();
    }
    if (own != nullptr) return own->scheduler().run(f);
    if (detail::shared_here() == nullptr) return detail::in_arena(f);
    return jobs::detail::run_and_wait(jobs::detail::default_shared(), f);
  }
  void start() {
    if (is_active_) return;
    if (max_concurrency_ != automatic && attached_ == nullptr) {
      const std::size_t allowed =
          global_control::active_value(global_control::max_allowed_parallelism);
      const std::size_t threads = std::min(static_cast<std::size_t>(max_concurrency_), allowed);
      const bool is_joined = has_seat_ && threads > 1 && detail::is_outside() &&
                             !detail::uses_indices.load(detail::kUse);
      size_ = {.workers = threads - (is_joined ? 1 : 0),
               .stack = detail::Limits::of_process().stack(),
               .concurrency = max_concurrency_,
               .extra_callers = is_joined};
    }
    is_active_ = true;
  }

  int max_concurrency_;
  bool has_seat_ = true;  // for a calling thread
  jobs::detail::Shared* attached_ = nullptr;
  detail::ArenaLease attached_lease_;  // while attached to an arena with workers of its own
  mutable Mutex mutex_;                // the start of a scheduler suspends the fiber
  bool is_active_ = false;
  detail::ArenaSize size_;  // no workers: the default scheduler, or that of attached_
};

namespace this_task_arena {

/// Returns the number of threads that can be in the arena of the caller.
inline int max_concurrency() {
  const jobs::detail::Shared* const here = detail::shared_here();
  if (here == nullptr) return detail::default_concurrency();
  const int size = detail::ArenaScheduler::concurrency_of(*here);
  if (size != 0) return size;
  const jobs::detail::WorkerNumbers numbers;
  const auto workers = static_cast<int>(numbers.count());
  // The body of a loop outside of this namespace, on the thread that called the loop.
  const bool is_guest = numbers.of_caller() == jobs::detail::WorkerNumbers::kNone;
  return is_guest && detail::uses_indices.load(detail::kUse) ? workers + 1 : workers;
}
/// Returns the index of the worker that runs the caller. On a thread outside of all arenas, returns
/// 0 if the thread has called an algorithm, or else task_arena::not_initialized. A program that
/// contains a call of it runs its algorithms on workers alone.
template <class Uses = detail::UsesIndices<void>>
int current_thread_index() {
  static_cast<void>(&Uses::value);
  if (detail::is_outside()) return detail::has_called() ? 0 : task_arena::not_initialized;
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
  detail::spawn_in_arena([&] {
    spawn([function = std::decay_t<F>(std::forward<F>(f))]() mutable {
      detail::enter_arena();
      function();
    });
  });
}
/// Runs the task of a handle as a job of the caller's arena at a later time. Its group counts it.
inline void enqueue(task_handle&& handle) {
  enqueue([owned = handle.release()] { owned->run(); });
}

}  // namespace this_task_arena

inline task_arena::task_arena(attach) : task_arena() {
  attached_ = detail::shared_here();
  if (attached_ == nullptr) return;
  max_concurrency_ = this_task_arena::max_concurrency();
  attached_lease_ = detail::ArenaPool::of_process().lease_of(*attached_);
  is_active_ = true;
}

namespace info {

/// Returns the number of threads of the default arena.
inline int default_concurrency() { return detail::default_concurrency(); }

}  // namespace info
}  // namespace jobs::inline JOBS_ABI::tbb
