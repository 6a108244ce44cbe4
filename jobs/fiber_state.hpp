// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: the number of a fiber, FiberId, and its state, FiberState.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Number of a Fiber: unique in the process and never reused. 0 stands for no Fiber.
enum class FiberId : std::uint64_t {};

/// State of a fiber.
enum class FiberState : std::uint8_t {
  kRunnable,  ///< ready to run, or not yet taken by a worker
  kRunning,   ///< a worker runs it
  kWaiting,   ///< suspended in a wait; or created suspended and not yet scheduled
  kDead,      ///< its function has returned or thrown
};

}  // namespace jobs::inline JOBS_ABI
