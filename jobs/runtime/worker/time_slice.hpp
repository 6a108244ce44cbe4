// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeSlice: the time for which a fiber may run before it should yield. Each Worker owns one; only
// the thread of the worker may call it.
//
// A slice begins at the first call of is_over() after a switch to the fiber. So a switch need not
// read the clock.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class TimeSlice {
 public:
  // Returns whether the slice of the running fiber has ended. If so, the next slice begins.
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
  // The fiber of this slice, and its number of switches when the slice began.
  const FiberCore* fiber_ = nullptr;
  std::uint64_t switches_ = 0;
  os::Nanoseconds end_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
