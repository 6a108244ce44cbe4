// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitSite: the object of a fiber's wait, for reports (jobs/report.hpp). The fiber's home writes
// it; no decision depends on it. It costs two stores for each wait that suspends.
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

namespace detail {

struct WaitSite {
  WaitKind kind = WaitKind::kNothing;
  // The object; null if the user does not know the object. It lives as long as the fiber waits: its
  // destruction before the end of the wait is a violation of its contract.
  const void* object = nullptr;
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
