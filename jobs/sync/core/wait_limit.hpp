// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `WaitLimit`, the limit of a wait, and `WaitStatus`, its result. Plain data.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class EventCore;

// The limit of a wait: the wait ends without its result then. By default there is none.
struct WaitLimit {
  os::Nanoseconds deadline = os::kNever;
  EventCore* stop = nullptr;  // the wait is cancelled when this core opens

  bool endless() const noexcept { return deadline == os::kNever && stop == nullptr; }
};

enum class WaitStatus : std::uint8_t {
  kOk,         // the wait has its result, perhaps after the deadline
  kTimedOut,   // the deadline passed first
  kCancelled,  // a stop was requested first
  // The fiber was interrupted first, or the time limit of an enclosing scope passed first: the wait
  // throws (sync/core/interrupt.hpp).
  kInterrupted,
};

}  // namespace jobs::inline JOBS_ABI::detail
