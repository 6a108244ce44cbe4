// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// JobHooks observes the jobs and waits of a scheduler, and wraps the functions of its Fibers.
///
/// jobs.hpp does not include this header: programs without hooks contain none of its code.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/fiber_state.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::inline JOBS_ABI {

class JobHooks;

namespace detail {

class TraceObserver;
TraceObserver* observer_of(const JobHooks& hooks) noexcept;

}  // namespace detail

/// The function of a Fiber, for JobHooks::around_fiber().
class FiberFunction {
 public:
  FiberFunction(const FiberFunction&) = delete;
  FiberFunction& operator=(const FiberFunction&) = delete;

  /// Calls the function of the Fiber; the Fiber keeps the result.
  ///
  /// @throws exception of the function
  /// @complexity that of the function
  /// @thread_safety the Fiber only, once
  void operator()() { call_(*this); }

 protected:
  /// @cond internal
  using Call = void (*)(FiberFunction&);
  explicit FiberFunction(Call call) noexcept : call_(call) {}
  ~FiberFunction() = default;
  /// @endcond

 private:
  const Call call_;
};

/// Base class of hooks into the jobs, waits and Fibers of a scheduler.
///
/// A program derives a class, overrides the functions that it needs, and sets
/// SchedulerOptions::job_hooks. One object may serve several schedulers, and must outlive them.
///
/// The functions run on the worker of the event; those of several workers run concurrently. They
/// must not wait or spawn, except around_fiber(). A scheduler without hooks pays nothing.
///
/// A job that waits stays begun: its worker begins and ends other jobs meanwhile. Children that
/// fork_join() runs in place, parts of loops that no worker has stolen, and jobs that external
/// threads run while they wait are no jobs of a worker, so they call no hook.
///
/// @snippet scheduling.cpp job_hooks
class JOBS_EXPORT JobHooks {
 public:
  /// Creates the hooks.
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1)
  JobHooks();
  /// Destroys the hooks; the schedulers that use them have ended.
  virtual ~JobHooks();
  JobHooks(const JobHooks&) = delete;
  JobHooks& operator=(const JobHooks&) = delete;

  /// Called before a worker runs a job.
  ///
  /// @param function  address of the code of the job or of its coroutine, for a table of symbols
  virtual void on_job_begin(const void* function) noexcept;
  /// Called after the job has returned, on the worker of its on_job_begin().
  virtual void on_job_end() noexcept;
  /// Called before a job or Fiber is suspended in a wait; a yield is no wait.
  ///
  /// @param fiber  the Fiber, or an id of its own for a job
  /// @param kind  kind of the object
  /// @param object  the object; null if it has no address for the program
  virtual void on_wait_begin(FiberId fiber, WaitKind kind, const void* object) noexcept;
  /// Called when the job or Fiber runs again, whatever the result of the wait is.
  ///
  /// @param fiber  as in on_wait_begin()
  virtual void on_wait_end(FiberId fiber) noexcept;
  /// Called in place of the function of each Fiber, on the Fiber.
  ///
  /// The function calls `body` once, and passes its exceptions on. It may wait, before and
  /// afterwards. If it returns although the body has not returned, the program aborts.
  ///
  /// @param fiber  id of the Fiber
  /// @param body  the function of the Fiber
  /// @throws exception of the Fiber: Fiber::join() rethrows it
  virtual void around_fiber(FiberId fiber, FiberFunction& body);

 private:
  friend detail::TraceObserver* detail::observer_of(const JobHooks& hooks) noexcept;

  detail::TraceObserver* const observer_;
};

namespace detail {

inline TraceObserver* observer_of(const JobHooks& hooks) noexcept { return hooks.observer_; }

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
