// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Task<T> is a coroutine that runs as jobs on the workers. sync_wait() and start() begin it.
///
/// `jobs/jobs.hpp` does not include this header, because few programs need it. docs/coroutines.md
/// introduces it.
#pragma once

#include "jobs/base/config.hpp"  // first: <coroutine> has an error of its own for older standards

#include <coroutine>
#include <type_traits>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/coroutine/task_awaiters.hpp"
#include "jobs/runtime/coroutine/task_start.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/task_lock.hpp"
#include "jobs/sync/task_shared_lock.hpp"
#include "jobs/this_task.hpp"

namespace jobs::inline JOBS_ABI {

/// Coroutine that runs as jobs on the workers, and needs no stack while it waits.
///
/// The body may `co_await`:
/// - another task: `co_await f()` or `co_await std::move(task)` runs it, and has its result;
/// - an Event, until it is set;
/// - a Counter, until no job is outstanding; rethrows the first exception of its jobs;
/// - a Latch, until no step is left;
/// - a Barrier: arrives, and waits for the end of the phase;
/// - a Semaphore, until it has a permit;
/// - a Mutex; the result is a TaskLock, which unlocks it;
/// - a SharedMutex, as a writer; the result is a TaskWriterLock, which unlocks it;
/// - a Fiber, until it has ended; has its result, as Fiber::join();
/// - an alternative of select(), such as Channel::on_pop() or FiberHandle::on_end();
/// - the functions of jobs::this_task: sleep_for(), pop(), push(), lock_shared(), select(),
/// yield(),
///   wait() for a ConditionVariable, and so on;
/// - a lock or a notification until a deadline or a stop: try_lock_for(), wait_for() and so on of
///   jobs::this_task.
///
/// A task begins when a task awaits it, or by sync_wait() or start(). It runs on the worker that
/// begins it. A wait frees the worker and the stack. After the wait, any worker of the same
/// scheduler continues the task, so the task may change its thread at each `co_await`. A wait with
/// a deadline continues on its own worker.
///
/// Between two `co_await`s a task is a job: it may call any function of the library. A call that
/// waits without `co_await` suspends the fiber of the job.
///
/// A task that was never begun is destroyed with the object, and so are its arguments. The body
/// does not run then. An exception that leaves the body goes to the task or thread that awaits it.
///
/// @snippet coroutines.cpp task
///
/// @tparam T  type of the result: void, a reference, or a type that can be moved
/// @complexity one allocation per task, by jobs::set_allocator(); about 400 bytes while it waits
/// for
///   an Event
/// @thread_safety one thread or fiber at a time
template <class T = void>
  requires(std::is_void_v<T> || std::is_reference_v<T> ||
           (std::is_object_v<T> && std::is_move_constructible_v<T>))
class [[nodiscard]] Task {
 public:
  /// Type required of coroutines.
  using promise_type = detail::TaskPromise<T>;

  /// Creates an empty object.
  Task() noexcept = default;
  /// Takes over the coroutine of another object, which becomes empty.
  ///
  /// @param other  source
  Task(Task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
  /// Replaces the coroutine.
  ///
  /// @param other  source
  /// @returns *this
  Task& operator=(Task other) noexcept {
    std::swap(promise_, other.promise_);
    return *this;
  }
  /// Destroys the coroutine, which has not begun or has ended.
  JOBS_TAG_OF_MODE ~Task() {
    if (promise_ != nullptr) promise_->handle.destroy();
  }

  /// Tells whether the object has a coroutine.
  ///
  /// @returns false if the object was moved from, awaited, started, or never had a coroutine
  explicit operator bool() const noexcept { return promise_ != nullptr; }

  /// @cond internal
  explicit Task(promise_type& promise) noexcept : promise_(&promise) {}
  promise_type& promise() const noexcept { return *promise_; }
  promise_type* release() noexcept { return std::exchange(promise_, nullptr); }
  /// @endcond

 private:
  promise_type* promise_ = nullptr;
};

/// Runs a task on the workers and waits for its end.
///
/// The call is for fibers and external threads; a task awaits another one by `co_await`. A fiber is
/// suspended meanwhile, an external thread is parked. The task runs on the scheduler of the caller,
/// or on the default scheduler. If the fiber is stopped during the wait, the call waits for the end
/// of the task and then throws.
///
/// @snippet coroutines.cpp sync_wait
///
/// @param task  task that has not begun
/// @returns result of the task
/// @throws the exception of the task
/// @throws Error(kBadArgument) if the object is empty
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kNoStack) or Cancelled after the end of the task, see \ref waiting
/// @complexity O(1); as spawn()
/// @thread_safety any thread or fiber, concurrently
template <class T>
JOBS_TAG_OF_MODE T sync_wait(Task<T> task) {
  if (!task) detail::refuse_empty_task();
  detail::run_task(task.promise());
  return task.promise().result.take();
}

/// Starts a task; the counter tracks its end.
///
/// As spawn(): `counter.add()` happens before start() returns, and `counter.done()` after the task
/// has ended and its arguments are destroyed. An exception of the task goes to the counter.
///
/// @snippet coroutines.cpp start
///
/// @param counter  tracks the task; it must live until its `wait()` has returned
/// @param task  task that has not begun
/// @throws Error(kBadArgument) if the object is empty
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1); as spawn()
/// @thread_safety any thread or fiber, concurrently
inline void start(Counter& counter, Task<> task) { detail::start_task(task.release(), &counter); }

/// Starts a detached task.
///
/// No call waits for a detached task; the shutdown of the scheduler does. An exception goes to
/// SchedulerOptions::on_unhandled; without this hook the program ends by std::terminate.
///
/// @param task  task that has not begun
/// @throws Error(kBadArgument) if the object is empty
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1); as spawn()
/// @thread_safety any thread or fiber, concurrently
inline void start(Task<> task) { detail::start_task(task.release(), nullptr); }

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class T>
  requires(!std::is_void_v<T>)
void start(Counter&, Task<T>) {
  static_assert(detail::kNever<T>, "jobs::start: takes a Task<void>; sync_wait() returns a result");
}
template <class T>
  requires(!std::is_void_v<T>)
void start(Task<T>) {
  static_assert(detail::kNever<T>, "jobs::start: takes a Task<void>; sync_wait() returns a result");
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI
