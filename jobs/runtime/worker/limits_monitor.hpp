// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LimitsMonitor: whether the first retired worker, the monitor, keeps checking the limits of the
// machine. It does so while another worker is awake, because that worker may run a job that never
// ends. Otherwise it sleeps without a time limit, so that an idle program never reads the limits.
// Each scheduler owns one (Shared). The monitor calls keeps_checking(); each worker calls
// after_park().
//
// Dekker's pattern:
//   step 1  The monitor sets sleeps_.
//   step 2  It executes a heavy fence, and looks again for an awake worker.
//   step 3  A worker that wakes up clears its mark as parked or retired. It executes a light fence,
//           and loads sleeps_.
// Either the monitor sees the awake worker, or the awake worker sees sleeps_ and wakes the monitor.
//
// The monitor changes with the number of active workers. The worker that wakes it looks this number
// up, and must not find an earlier monitor, which would ignore the message. If the worker loads
// sleeps_ after the heavy fence, it sees the number that made the caller of keeps_checking() the
// monitor. If it loads sleeps_ before, the monitor sees it awake, and does not sleep.
#pragma once

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

class LimitsMonitor {
 public:
  // The monitor calls it before it sleeps. Returns whether it checks the limits again after a time.
  // `is_awake()`: returns whether another worker is awake.
  template <class IsAwake>
  bool keeps_checking(const IsAwake& is_awake) noexcept {
    if (is_awake()) return true;
    sleeps_.store(true, std::memory_order_relaxed);
    heavy_fence();  // partner: after_park()
    if (!is_awake()) return false;
    sleeps_.store(false, std::memory_order_relaxed);
    return true;
  }
  // A worker calls it after it has slept. `wake()`: called by one worker if the monitor has stopped
  // its checks; wakes the present monitor.
  template <class Wake>
  void after_park(const Wake& wake) noexcept {
    light_fence();  // The worker counts as awake before the load; partner: keeps_checking().
    if (!sleeps_.load(std::memory_order_relaxed)) [[likely]]
      return;
    if (sleeps_.exchange(false, std::memory_order_relaxed)) wake();
  }

 private:
  Atomic<bool> sleeps_{false};  // A hint.
};

}  // namespace jobs::inline JOBS_ABI::detail
