// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks that a program starts, suspends and resumes by hand: task_handle, task::suspend(),
// task::resume().
//
// Differences from oneTBB: suspend() blocks an external thread outside of all arenas. There is no
// task::current_context().
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// A task of a group that run() or enqueue() starts later. The group counts it from the beginning,
// until it is destroyed.
class DeferredTask {
 public:
  explicit DeferredTask(Counter& counter) : counter_(counter) { counter_.add(); }
  DeferredTask(const DeferredTask&) = delete;
  DeferredTask& operator=(const DeferredTask&) = delete;
  virtual ~DeferredTask() { counter_.done(); }

  virtual void run() = 0;
  // Identifies the counter to the group.
  Counter& counter() const noexcept { return counter_; }

 private:
  Counter& counter_;
};

}  // namespace detail

/// A task that runs later: task_group::run() or task_arena::enqueue() starts it. A wait for its
/// group waits for it, too, until it has run or the handle is destroyed. Only the group that
/// created it may run it.
class task_handle {
 public:
  /// An empty handle.
  task_handle() = default;
  /// Takes over a task. Not in oneTBB.
  explicit task_handle(std::unique_ptr<detail::DeferredTask> task) : task_(std::move(task)) {}
  /// Returns true if the handle has a task.
  explicit operator bool() const noexcept { return task_ != nullptr; }
  /// Returns true if the handle is empty.
  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept {
    return handle.task_ == nullptr;
  }
  /// Gives the task away; the handle is empty then. Not in oneTBB.
  std::unique_ptr<detail::DeferredTask> release() noexcept { return std::move(task_); }

 private:
  std::unique_ptr<detail::DeferredTask> task_;
};

namespace task {

/// Identifies a suspended task.
using suspend_point = Event*;

/// Suspends the calling task until resume(). `f` is called with the point before that; it passes
/// the point on, and may itself call resume(). Other jobs run meanwhile.
template <std::invocable<suspend_point> F>
void suspend(F f) {
  Event resumed;
  f(&resumed);
  resumed.wait();
}
/// Resumes a suspended task, once. Any thread may call it.
inline void resume(suspend_point point) { point->signal(); }

}  // namespace task
}  // namespace jobs::inline JOBS_ABI::tbb
