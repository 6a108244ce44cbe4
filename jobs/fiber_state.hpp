// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// FiberId identifies a Fiber; FiberState is its state.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Identifier of a Fiber: unique in the process and never reused; 0: no Fiber.
enum class FiberId : std::uint64_t {};

/// State of a fiber.
enum class FiberState : std::uint8_t {
  /// Ready to run, or not yet taken by a worker.
  kRunnable,
  /// A worker runs it.
  kRunning,
  /// Suspended in a wait; or created suspended and not yet scheduled.
  kWaiting,
  /// Its function has returned or thrown.
  kDead,
};

}  // namespace jobs::inline JOBS_ABI
