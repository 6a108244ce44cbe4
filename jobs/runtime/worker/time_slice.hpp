// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeSlice: how long the fiber that runs on a worker may go on before it should let others run. It begins when somebody asks for
// the first time after a switch: so switches need not read the clock. For the worker's thread only.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class TimeSlice {
 public:
  // Of the running fiber. If it is, another one begins.
  bool is_over(const FiberCore& running, os::Nanoseconds length) noexcept {
    const std::uint64_t switches = running.switches.load(std::memory_order_relaxed);
    const os::Nanoseconds now = os::now();
    const bool begins = fiber_ != &running || switches_ != switches;
    if (!begins && now < end_) return false;
    fiber_ = &running;
    switches_ = switches;
    end_ = now + length;
    return !begins;
  }

 private:
  const FiberCore* fiber_ = nullptr;  // whose it is ...
  std::uint64_t switches_ = 0;        // ... after which of its switches
  os::Nanoseconds end_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
