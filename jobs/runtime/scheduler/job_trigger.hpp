// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Dependencies of jobs on objects that are no jobs. CounterWait: the wait of a DependentJob for a
// Counter to reach zero. ThresholdWait: its wait for a Counter to fall to a number. TimedStart: its
// wait for a point in time. JobTrigger: the home of the waiters of jobs; a wake-up meets a
// dependency. One JobTrigger serves the process. Any thread may call the public functions.
#pragma once

#include <cstddef>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/scheduler/dependent_job.hpp"
#include "jobs/sync/core/count_threshold.hpp"
#include "jobs/sync/core/waiter.hpp"

namespace jobs::inline JOBS_ABI {

class Counter;

namespace detail {

// A job's wait for a Counter. It lies behind the closure of the job.
struct JOBS_EXPORT CounterWait : Waiter {
  explicit CounterWait(DependentJob& waiting);

  DependentJob& job;
};

// A job's wait for the count of a Counter to be `most` or less. It lies behind the closure of the
// job. After the wake-up it does not access the Counter.
struct JOBS_EXPORT ThresholdWait : CounterWait {
  ThresholdWait(DependentJob& waiting, Counter& counter, std::size_t most);

  CountThreshold threshold;
};

// A job's wait for a point in time. It lies behind the closure of the job.
class TimedStart final : public CallAtDeadline, private Job {
 public:
  TimedStart(DependentJob& waiting, os::Nanoseconds when) noexcept
      : CallAtDeadline(&expire, when), Job(&arm), job_(waiting) {}

  // Sends the deadline to a worker, and counts the waiting job as submitted. Throws
  // Error(kStopped), Error(kForked), std::bad_alloc; then nothing is sent.
  JOBS_EXPORT void start(Shared& shared);

 private:
  // Runs on a worker, which then keeps the deadline.
  JOBS_EXPORT static void arm(Job& self);
  JOBS_EXPORT static void expire(CallAtDeadline& deadline) noexcept;

  DependentJob& job_;
};

class JOBS_EXPORT JobTrigger final : public FiberHost {
 public:
  // Makes the job of `wait` depend on the count. Returns false if the count is zero: the caller
  // meets the dependency.
  [[nodiscard]] static bool follow(Counter& counter, CounterWait& wait) noexcept;

 private:
  friend CounterWait;
  friend ThresholdWait;

  // The fiber of all waits. It never runs.
  static FiberCore& fiber() noexcept;
  static CountdownCore& core_of(Counter& counter) noexcept;

  void post(Wakeup& wakeup) noexcept override;
  void arm(Deadline& /*deadline*/) noexcept override {}
  void disarm(Deadline& /*deadline*/) noexcept override {}
  const char* describe() const noexcept override { return "jobs"; }
  void switch_away() noexcept override {}

  FiberCore fiber_{this};
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
