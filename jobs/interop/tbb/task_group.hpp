// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_group of oneTBB: two jobs::Counters with the flag of a task_group_context.
//
// The owner is the fiber or external thread that constructs the group. A Counter may not leave zero
// while a fiber waits in Counter::wait(). So one counter is for the owner and the tasks that it
// counts: the owner cannot add a task while it waits, and a running task keeps the count above
// zero. All others add to a second counter, for which threads wait by wait_until_at_most().
//
// Differences from oneTBB:
// - wait() suspends the fiber. It runs other jobs of the group only if no frame waits below it.
// - An external thread outside of all arenas runs only those tasks in wait() that it has added. In
//   a program that contains a call of current_thread_index() it runs none, and waits for a worker.
// - wait() also rethrows an exception that follows a cancel.
#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/task.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {
// The second counter of a group.
JOBS_ORDER(kAddCounter, acq_rel);   // partners: kAddCounter, kFindCounter
JOBS_ORDER(kFindCounter, acquire);  // partner: kAddCounter
}  // namespace detail

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

/// A group of tasks that a thread can wait for and cancel; the head of the file lists the
/// differences.
///
/// @snippet interop.cpp tasks
class task_group {
 public:
  /// A group with a context of its own.
  task_group() : scope_(own_context_, outer_scope()) {}
  /// A group that is cancelled with this context, which must outlive it.
  explicit task_group(task_group_context& context) : scope_(context, outer_scope()) {}
  /// Without a preceding wait(), cancels the group, waits, and throws missing_wait, unless an
  /// exception is propagating.
  ~task_group() noexcept(false) {
    const std::unique_ptr<Counter> others(others_.load(detail::kFindCounter));
    if (is_done()) return;
    const bool is_unwinding = std::uncaught_exceptions() > 0;
    cancel();
    JOBS_TRY { wait_for_tasks(false); }
    JOBS_CATCH_ALL {
      // No stack to wait on: the destructors of the counters wait or abort.
    }
    if (!is_unwinding) JOBS_THROW(missing_wait());
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Runs f() as a job, unless the group is cancelled before it begins. Any thread may call it,
  /// also while others wait. An exception of f() cancels the group.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void run(F&& f) {
    Counter& counter = counter_of_caller();
    detail::spawn_in_arena([&] {
      spawn(counter, [this, &counter, function = std::decay_t<F>(std::forward<F>(f))]() mutable {
        call(function, counter);
      });
    });
  }
  /// Runs the task of a handle.
  void run(task_handle&& handle) {
    auto deferred = handle.release();
    Counter& counter = deferred->counter();
    detail::spawn_in_arena(
        [&] { spawn(counter, [owned = std::move(deferred)] { owned->run(); }); });
  }
  /// Returns a handle for f(), which a later run() starts. wait() waits for it.
  template <class F>
  task_handle defer(F&& f) {
    return task_handle(std::make_unique<Deferred<std::decay_t<F>>>(*this, counter_of_caller(),
                                                                   std::forward<F>(f)));
  }

  /// Waits until all tasks have ended. Rethrows the first exception. The group and its context can
  /// then be used again.
  task_group_status wait() {
    const bool is_owner = detail::Frame::runner() == owner_;
    wait_for_tasks(is_owner);
    const bool was_cancelled = scope_.is_cancelled();
    scope_.context().reset();
    if (std::exception_ptr error = take_error()) std::rethrow_exception(std::move(error));
    return was_cancelled ? canceled : complete;
  }
  /// Calls f() on the calling thread, then wait().
  template <class F>
    requires std::invocable<const F&>
  task_group_status run_and_wait(const F& f) {
    {
      Counter& counter = counter_of_caller();
      counter.add();
      const struct Done {
        Counter& counter;
        ~Done() { counter.done(); }
      } done{counter};
      detail::in_arena([&] { call(f, counter); });
    }
    return wait();
  }
  /// Runs the task of a handle on the calling thread, then calls wait().
  task_group_status run_and_wait(task_handle&& handle) {
    {
      const auto deferred = handle.release();
      detail::in_arena([&] { deferred->run(); });
    }
    return wait();
  }

  /// Cancels the tasks that have not begun.
  void cancel() { scope_.context().cancel_group_execution(); }

 private:
  template <class F>
  class Deferred final : public detail::DeferredTask {
   public:
    template <class G>
    Deferred(task_group& group, Counter& counter, G&& function)
        : DeferredTask(counter), group_(group), function_(std::forward<G>(function)) {}
    void run() override { group_.call(function_, counter()); }

   private:
    task_group& group_;
    F function_;
  };

  detail::Scope* outer_scope() const noexcept {
    const detail::Frame* const frame = detail::Frame::current();
    return frame != nullptr && frame->has_local(this) ? &frame->scope() : nullptr;
  }

  // Returns the counter that the caller may add to.
  Counter& counter_of_caller() {
    if (detail::Frame::runner() == owner_) return owners_;
    const detail::Frame* const frame = detail::Frame::current();
    if (frame != nullptr && frame->group() == &owners_) return owners_;
    Counter* others = others_.load(detail::kFindCounter);
    if (others != nullptr) return *others;
    auto fresh = std::make_unique<Counter>();
    if (others_.compare_exchange_strong(others, fresh.get(), detail::kAddCounter,
                                        detail::kFindCounter))
      return *fresh.release();
    return *others;
  }

  // Calls the function of a task that `counter` counts.
  template <class F>
  JOBS_NOINLINE void call(F& f, Counter& counter) {
    if (scope_.is_cancelled()) return;
    const detail::Frame frame(scope_, __builtin_frame_address(0), &counter);
    JOBS_TRY { f(); }
    JOBS_CATCH_ALL {
      keep_error(std::current_exception());
      cancel();
    }
  }

  void wait_for_tasks(bool is_owner) {
    detail::wait_in_arena([&] {
      if (is_owner) {
        owners_.wait();
      } else {
        owners_.wait_until_at_most(0);
      }
      if (Counter* const others = others_.load(detail::kFindCounter)) others->wait_until_at_most(0);
    });
  }
  bool is_done() {
    Counter* const others = others_.load(detail::kFindCounter);
    return owners_.wait_for(std::chrono::nanoseconds(0)) &&
           (others == nullptr || others->wait_for(std::chrono::nanoseconds(0)));
  }

  JOBS_COLD void keep_error(std::exception_ptr error) {
    const std::lock_guard guard(lock_);
    if (error_ == nullptr) error_ = std::move(error);
    has_error_.store(true, detail::kCancel);
  }
  std::exception_ptr take_error() {
    // The tasks have ended, so the flag and the exception are visible.
    if (!has_error_.load(detail::kCancel)) return nullptr;
    const std::lock_guard guard(lock_);
    has_error_.store(false, detail::kCancel);
    return std::exchange(error_, nullptr);
  }

  task_group_context own_context_{task_group_context::bound, task_group_context::concurrent_wait};
  detail::Scope scope_;
  const void* const owner_ = detail::Frame::runner();
  Counter owners_;
  jobs::detail::Atomic<Counter*> others_{nullptr};  // made when it is needed
  jobs::detail::Atomic<bool> has_error_{false};
  jobs::detail::RawSpinLock lock_;
  std::exception_ptr error_;  // guarded by lock_
};

}  // namespace jobs::inline JOBS_ABI::tbb
