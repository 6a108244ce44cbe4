// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitSite: what a fiber waits for, for reports (jobs/report.hpp). Two stores for each wait that suspends; nothing is decided by it.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

enum class WaitKind : std::uint8_t {
  kNothing,
  kMutex,
  kSharedMutex,
  kOnceFlag,
  kSemaphore,
  kEvent,
  kCounter,
  kLatch,
  kBarrier,
  kConditionVariable,
  kChannel,
  kSelect,
  kJoin,      // the end of a Fiber
  kJob,       // the end of a job that another worker runs: a child of fork_join or of a loop, Scheduler::run
  kSchedule,  // this_fiber::suspend(): somebody is to schedule it
  kSleep,
  kBlocking,  // the end of a call of blocking()
  kIo,
};

namespace detail {

struct WaitSite {
  WaitKind kind = WaitKind::kNothing;
  // The object; null: there is none that a user would know. Alive as long as the fiber waits: who destroys it before breaks its
  // contract.
  const void* object = nullptr;
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
