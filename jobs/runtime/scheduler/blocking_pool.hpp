// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockingPool: threads of a scheduler for calls that block. One starts when a call finds no idle one, and ends when it has been
// idle for a while. At the limit calls queue, first come, first served.
//
// Submitting takes a mutex of ours for a few instructions, once in a while for the start of a thread: a worker that finds it taken
// goes on with another fiber.
#pragma once

#include <chrono>
#include <list>

#include "jobs/base/counters.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BlockingPool {
 public:
  static constexpr std::chrono::nanoseconds kIdleTime = std::chrono::seconds(5);

  // Starts nothing. Throws Error(kBadArgument) if `max_threads` is 0.
  explicit BlockingPool(unsigned max_threads, std::chrono::nanoseconds idle_time = kIdleTime);
  ~BlockingPool() { stop(); }

  // Runs the job on one of the threads, and finishes it. Throws std::system_error if there is none and none can be started, Error(kNoStack);
  // the job was not taken then.
  void submit(Job& job);
  // Ends the threads and waits for that. pre: all that was submitted has finished, nothing more comes. Idempotent.
  void stop();

  Tally threads;  // that exist
  Tally calls;    // that were submitted

 private:
  using Place = std::list<Thread>::iterator;

  bool start_thread();
  void serve(Place self);
  Job* pop() noexcept;

  const unsigned max_threads_;
  const std::chrono::nanoseconds idle_time_;
  Mutex mutex_;  // guards everything below, and writes of the tallies
  ConditionVariable wanted_;
  ConditionVariable all_ended_;
  Job* first_ = nullptr;  // waiting to be run, linked by `next`
  Job* last_ = nullptr;
  unsigned queued_ = 0;
  unsigned idle_ = 0;
  bool stopping_ = false;
  std::list<Thread> running_;
  std::list<Thread> ended_;  // by stop(), which joins them
};

}  // namespace jobs::inline JOBS_ABI::detail
