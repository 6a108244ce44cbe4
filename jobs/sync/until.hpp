// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How long a wait may last, and how it ended.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Gate;

// When a wait ends without what it waits for. By default: never.
struct Until {
  os::Nanoseconds deadline = os::kNever;
  Gate* stop = nullptr;  // the wait is cancelled when this gate opens

  bool endless() const noexcept { return deadline == os::kNever && stop == nullptr; }
};

enum class Outcome : std::uint8_t {
  kOk,         // what was waited for has happened, perhaps after the deadline
  kTimedOut,   // it had not happened when the deadline passed
  kCancelled,  // it had not happened when the stop gate opened
  // It had not happened when the fiber was interrupted, or when a time limit around the wait ran out: the wait throws
  // (sync/interrupt.hpp).
  kInterrupted,
};

}  // namespace jobs::inline JOBS_ABI::detail
