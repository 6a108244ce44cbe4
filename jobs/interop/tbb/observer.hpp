// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_scheduler_observer: callbacks when threads enter and leave an arena.
//
// Differences from oneTBB:
// - A thread enters before its first body, task or function in the arena, and not when it begins to
//   look for work. parallel_sort() and parallel_pipeline() have no such bodies.
// - A thread leaves when it ends, and not between algorithms. A worker of an arena ends in
//   task_arena::terminate() or in the destructor. Workers of the default arena do not end.
// - execute() of an arena with a number enters a worker, and not the calling thread.
#pragma once

#include <memory>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/observed.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Base class of objects whose callbacks run when threads enter and leave an arena.
///
/// One thread at a time may call observe(). The callbacks run on the thread that enters or leaves,
/// concurrently for several threads. They must not throw, wait for jobs, or call observe().
///
/// @snippet interop.cpp observer
class task_scheduler_observer : private detail::ObserverCalls {
 public:
  /// Observes the arena in which observe(true) is called; outside of all arenas the default one.
  task_scheduler_observer() = default;
  /// Observes an arena, which must neither end nor be terminated during the observation.
  /// observe(true) starts its workers.
  explicit task_scheduler_observer(task_arena& arena) : arena_(&arena) {}
  /// Ends the observation. A derived class whose callbacks use its members ends it before.
  virtual ~task_scheduler_observer() { observe(false); }
  task_scheduler_observer(const task_scheduler_observer&) = delete;
  task_scheduler_observer& operator=(const task_scheduler_observer&) = delete;

  /// Begins or ends the observation. A begin counts for threads that are in the arena, too. An end
  /// returns after all callbacks have returned; there are no later ones.
  void observe(bool state = true) {
    if (state == is_observing()) return;
    if (!state) {
      detail::Observers::of_process().remove(*observation_);
      std::exchange(observation_, nullptr)->end();
      return;
    }
    jobs::detail::Shared* const here = detail::shared_here();
    jobs::detail::Shared& arena = arena_ != nullptr ? arena_->shared_for_observer()
                                  : here != nullptr ? *here
                                                    : jobs::detail::default_shared();
    const bool is_default =
        &arena == &jobs::detail::default_shared() || detail::ArenaScheduler::is_default(arena);
    detail::ObserverCalls& calls = *this;
    auto begun = std::make_shared<detail::Observation>(calls, arena, is_default);
    detail::Observers::of_process().add(begun);
    observation_ = std::move(begun);
  }
  /// Returns true during an observation.
  bool is_observing() const { return observation_ != nullptr; }

  /// Called when a thread has entered the arena. `is_worker`: false for a thread of the program.
  virtual void on_scheduler_entry(bool is_worker) { static_cast<void>(is_worker); }
  /// Called when a thread that has entered leaves.
  virtual void on_scheduler_exit(bool is_worker) { static_cast<void>(is_worker); }

 private:
  void entered(bool is_worker) final { on_scheduler_entry(is_worker); }
  void left(bool is_worker) final { on_scheduler_exit(is_worker); }

  task_arena* const arena_ = nullptr;
  std::shared_ptr<detail::Observation> observation_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
