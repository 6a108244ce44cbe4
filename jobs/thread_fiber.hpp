// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// ThreadFiber makes a thread of the program a Fiber that others can resume.
///
/// jobs.hpp does not include this header.
#pragma once

#include <source_location>
#include <string>
#include <utility>

#include "jobs/fiber_ref.hpp"
#include "jobs/runtime/fibers/thread_control.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"

namespace jobs::inline JOBS_ABI {

/// Lets the calling thread play a Fiber while the object exists.
///
/// The thread has a FiberId and a FiberRef, and this_fiber::suspend() suspends it until
/// FiberRef::schedule() resumes it, with or without a value. Its waits end early after
/// FiberRef::schedule_exception() and FiberRef::request_stop(), as those of a Fiber do. While the
/// bound thread of a scheduler is suspended, it serves jobs and fibers. An external thread is
/// parked instead. A FiberRef refers to it: `jobs::FiberRef main = thread_fiber;`.
///
/// The thread belongs to the current scheduler (Scheduler::current()), which must outlive the
/// object. A shutdown does not wait for it.
///
/// @snippet fibers.cpp thread_fiber
class ThreadFiber : public FiberHandle {
 public:
  /// Makes the calling thread a Fiber.
  ///
  /// @param name  name in messages and dumps; empty for none
  /// @param site  call site of the object in messages
  /// @throws Error(kBadArgument) in a job or Fiber, or if the thread plays a Fiber already
  /// @throws exception of starting the default scheduler
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1)
  /// @thread_safety an external thread, or the bound thread outside of jobs
  explicit ThreadFiber(std::string name = {},
                       const std::source_location& site = std::source_location::current())
      : FiberHandle(detail::ThreadControl::begin(detail::current_shared(), std::move(name), site)) {
  }
  /// Makes the thread a plain thread again, and wakes those that wait for the end of the Fiber.
  ///
  /// Values that the thread has not received are dropped. The program aborts if another thread
  /// destroys the object, or if objects of one thread end in the wrong order.
  ///
  /// @complexity O(waiters)
  ~ThreadFiber() { static_cast<detail::ThreadControl*>(control_)->end(); }
  ThreadFiber(const ThreadFiber&) = delete;
  ThreadFiber& operator=(const ThreadFiber&) = delete;
};

}  // namespace jobs::inline JOBS_ABI
