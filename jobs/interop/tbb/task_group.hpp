// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_group of oneTBB: a jobs::Counter with the flag of a task_group_context.
//
// Differences from oneTBB:
// - wait() suspends the fiber. It runs other jobs of the group only if no frame waits below it.
// - An external thread outside of all arenas blocks in wait() and does not run jobs.
// - A run() that finds the group empty while another thread waits for it aborts the program.
// - A task_handle that was never run is not waited for.
// - There is no is_current_task_group_canceling(); the context has the answer.
#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// The result of a wait.
enum task_group_status { not_complete, complete, canceled };

/// Thrown by the destructor of a task_group that was not waited for.
class missing_wait : public std::exception {
 public:
  /// Returns the message.
  const char* what() const noexcept override {
    return "jobs::tbb::task_group: destroyed without wait()";
  }
};

/// A task that the group runs later, as in oneTBB. Only the group that created it may run it.
class task_handle {
 public:
  /// An empty handle.
  task_handle() = default;
  /// Returns true if the handle has a task.
  explicit operator bool() const noexcept { return task_ != nullptr; }
  /// Returns true if the handle is empty.
  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept {
    return handle.task_ == nullptr;
  }

 private:
  friend class task_group;
  struct Task {
    virtual ~Task() = default;
    virtual void operator()() = 0;
  };
  template <class F>
  struct TaskOf final : Task {
    explicit TaskOf(F&& f) : function(std::move(f)) {}
    void operator()() override { function(); }
    F function;
  };

  template <class F>
  explicit task_handle(std::in_place_t, F&& f) : task_(std::make_unique<TaskOf<F>>(std::move(f))) {}

  std::unique_ptr<Task> task_;
};

/// A group of tasks that a thread can wait for and cancel; the head of the file lists the
/// differences.
///
/// @snippet interop.cpp tasks
class task_group {
 public:
  /// A group with a context of its own.
  task_group() = default;
  /// A group that is cancelled with this context, which must outlive it.
  explicit task_group(task_group_context& context) : context_(&context) {}
  /// Without a preceding wait(), cancels the group, waits, and throws missing_wait, unless an
  /// exception is propagating.
  ~task_group() noexcept(false) {
    if (is_done()) return;
    const bool is_unwinding = std::uncaught_exceptions() > 0;
    cancel();
    JOBS_TRY { counter_.wait(); }
    JOBS_CATCH_ALL {
      // No caller waits for this exception.
    }
    if (!is_unwinding) JOBS_THROW(missing_wait());
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Runs f() as a job, unless the group is cancelled before it begins. Any thread may call it. An
  /// exception of f() cancels the group.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void run(F&& f) {
    detail::in_arena([&] {
      spawn(counter_,
            [this, function = std::decay_t<F>(std::forward<F>(f))]() mutable { call(function); });
    });
  }
  /// Runs the task of a handle.
  void run(task_handle&& handle) {
    run([task = std::move(handle.task_)] { (*task)(); });
  }
  /// Returns a handle for f(), which a later run() starts.
  template <class F>
  task_handle defer(F&& f) {
    return task_handle(std::in_place, std::decay_t<F>(std::forward<F>(f)));
  }

  /// Waits until all tasks have ended. Rethrows the first exception. The group and its context can
  /// then be used again.
  task_group_status wait() {
    const struct Reset {
      task_group_context& context;
      ~Reset() { context.reset(); }
    } reset{*context_};
    detail::in_arena([&] { counter_.wait(); });
    return context_->is_group_execution_cancelled() ? canceled : complete;
  }
  /// Calls f() on the calling thread, then wait().
  template <class F>
    requires std::invocable<const F&>
  task_group_status run_and_wait(const F& f) {
    counter_.add();
    JOBS_TRY {
      detail::in_arena([&] { call(f); });
    }
    JOBS_CATCH_ALL { counter_.fail(std::current_exception()); }
    counter_.done();
    return wait();
  }
  /// Runs the task of a handle on the calling thread, then calls wait().
  task_group_status run_and_wait(task_handle&& handle) {
    return run_and_wait([task = std::move(handle.task_)] { (*task)(); });
  }

  /// Cancels the tasks that have not begun.
  void cancel() { context_->cancel_group_execution(); }

 private:
  template <class F>
  void call(F& f) {
    if (context_->is_group_execution_cancelled()) return;
    JOBS_TRY { f(); }
    JOBS_CATCH_ALL {
      cancel();
      JOBS_RETHROW;
    }
  }
  bool is_done() {
    JOBS_TRY { return counter_.wait_for(std::chrono::nanoseconds(0)); }
    JOBS_CATCH_ALL {
      // The exception of a job that was never waited for.
      return true;
    }
  }

  task_group_context own_;
  task_group_context* context_ = &own_;
  Counter counter_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
