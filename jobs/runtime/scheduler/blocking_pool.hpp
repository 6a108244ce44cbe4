// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockingPool: the threads of a scheduler for calls that block. A thread starts when a call finds
// no idle thread, and ends when it has been idle for `idle_time`. At the limit, calls queue in FIFO
// order.
//
// Each scheduler owns one pool. Any worker may submit a call; the scheduler stops the pool. On the
// threads of the pool, the scheduler is the current one (ThreadScope), and they may submit jobs to
// it while it drains: the drain waits for the fiber that has called blocking().
//
// submit() holds a jobs::Mutex for a few instructions, and sometimes for the start of a thread. If
// the mutex is taken, the worker continues with another fiber.
#pragma once

#include <chrono>
#include <list>

#include "jobs/base/counters.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BlockingPool {
 public:
  static constexpr std::chrono::nanoseconds kIdleTime = std::chrono::seconds(5);

  // Starts no thread. `shared`: the scheduler of the callers. Throws Error(kBadArgument) if
  // `max_threads` is 0.
  BlockingPool(Shared& shared, unsigned max_threads,
               std::chrono::nanoseconds idle_time = kIdleTime);
  ~BlockingPool() { stop(); }

  // Runs the job on one of the threads, and finishes it. Throws std::system_error if there is no
  // thread and none can be started, or Error(kNoStack). If it throws, the pool has not taken the
  // job.
  void submit(Job& job);
  // Submits the job and waits for it. Throws as submit() does. pre: the caller is a worker.
  void run(Job& job);
  // Ends the threads, and waits for their end. Idempotent.
  // pre: all submitted calls have finished, and no later call is submitted.
  void stop() {
    if (stop_ != nullptr) stop_(*this);
  }

  SingleWriterCounter threads;  // Number of existing threads.
  SingleWriterCounter calls;    // Number of submitted calls.

 private:
  using Threads = std::list<Thread, HeapAllocator<Thread>>;
  using ThreadIterator = Threads::iterator;

  void stop_threads();
  bool start_thread();
  void serve(ThreadIterator self);
  Job* pop() noexcept;

  Shared& shared_;
  const unsigned max_threads_;
  const std::chrono::nanoseconds idle_time_;
  Mutex mutex_;  // Guards the members below, and the writes to the counters.
  ConditionVariable wanted_;
  ConditionVariable all_ended_;
  Job* first_ = nullptr;  // The queued calls, linked by `next`.
  Job* last_ = nullptr;
  unsigned queued_ = 0;
  unsigned idle_ = 0;
  bool stopping_ = false;
  // Null until the first submit(). A program that never calls blocking() contains no code of the
  // pool, because stop() reaches it through this pointer.
  void (*stop_)(BlockingPool&) = nullptr;
  Threads running_;
  Threads ended_;  // Ended by stop(), which joins them.
};

}  // namespace jobs::inline JOBS_ABI::detail
