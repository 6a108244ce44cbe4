// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: the kinds of waits that reports tell apart, jobs::WaitKind.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Kind of object that a fiber waits for.
enum class WaitKind : std::uint8_t {
  kNothing,            ///< the fiber does not wait
  kMutex,              ///< a Mutex
  kSharedMutex,        ///< a SharedMutex
  kOnceFlag,           ///< a OnceFlag
  kSemaphore,          ///< a Semaphore
  kEvent,              ///< an Event
  kCounter,            ///< a Counter
  kLatch,              ///< a Latch
  kBarrier,            ///< a Barrier
  kConditionVariable,  ///< a ConditionVariable
  kChannel,            ///< a Channel
  kSelect,             ///< a select() over channels
  kJoin,               ///< the end of a Fiber
  /// The end of a job on another worker: a child of fork_join or of a loop, Scheduler::run().
  kJob,
  kSchedule,  ///< this_fiber::suspend(): waits for a caller that schedules it
  kSleep,     ///< a deadline: this_fiber::sleep_for() and sleep_until()
  kBlocking,  ///< the end of a call of blocking()
  kIo,        ///< an operation of jobs/io
};

}  // namespace jobs::inline JOBS_ABI
