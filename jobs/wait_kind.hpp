// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// WaitKind names the kinds of waits that a report distinguishes.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Kind of object that a fiber waits for.
enum class WaitKind : std::uint8_t {
  /// The fiber does not wait.
  kNothing,
  /// A Mutex.
  kMutex,
  /// A SharedMutex.
  kSharedMutex,
  /// A OnceFlag.
  kOnceFlag,
  /// A Semaphore.
  kSemaphore,
  /// An Event.
  kEvent,
  /// A Counter.
  kCounter,
  /// A Latch.
  kLatch,
  /// A Barrier.
  kBarrier,
  /// A ConditionVariable.
  kConditionVariable,
  /// A Channel.
  kChannel,
  /// A select() over channels.
  kSelect,
  /// The end of a Fiber.
  kJoin,
  /// The end of a job on another worker: a child of fork_join or of a loop, Scheduler::run().
  kJob,
  /// this_fiber::suspend(): waits for a caller that schedules it.
  kSchedule,
  /// A deadline: this_fiber::sleep_for() and sleep_until().
  kSleep,
  /// The end of a call of blocking().
  kBlocking,
  /// An operation of jobs/io.
  kIo,
};

}  // namespace jobs::inline JOBS_ABI
