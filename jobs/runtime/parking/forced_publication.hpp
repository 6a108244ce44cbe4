// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Raids: when a thief may share a deque whose owner was asked to and does not look at it. For workers. Not often: it disturbs all
// threads of the process, so there is one budget for all of its schedulers.
//
// JOBS_RAID=eager in the environment, for tests: at once and as often as there is something hidden. The two other ways in which jobs
// are stolen are the default, and JOBS_FENCED=1, with which nothing is hidden (base/asymmetric_fence.hpp).
#pragma once

#include <algorithm>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// One raid in 50 us, and after each that has found nothing a pause twice as long, up to 400 us.
class RaidBudget {
 public:
  // A raid costs each thread that runs up to 7 us in a virtual machine, 1 us in a real one.
  static constexpr os::Nanoseconds kPause = 50'000;
  static constexpr os::Nanoseconds kLongestPause = 8 * kPause;

  // Any thread. True: the caller raids, and tells what came of it.
  bool take(os::Nanoseconds now) noexcept {
    os::Nanoseconds next = next_.load(std::memory_order_relaxed);
    return now >= next && next_.compare_exchange_strong(next, now + kPause, std::memory_order_relaxed);
  }
  // `now`: as told to take(). A hint among others: another raid may have begun meanwhile.
  void note(bool found, os::Nanoseconds now) noexcept {
    const os::Nanoseconds pause = found ? kPause : std::min(2 * pause_.load(std::memory_order_relaxed), kLongestPause);
    pause_.store(pause, std::memory_order_relaxed);
    if (!found) next_.store(now + pause, std::memory_order_relaxed);
  }

 private:
  Atomic<os::Nanoseconds> next_{0};
  Atomic<os::Nanoseconds> pause_{kPause};
};

// The process's; of a simulation its own.
RaidBudget& raid_budget() noexcept;

class Raids {
 public:
  // Looks at the environment.
  Raids() noexcept;

  // Whether to raid now. `asked`: when the owner was.
  bool may_begin(os::Nanoseconds asked, os::Nanoseconds now) noexcept;
  // What the raid that began then has found.
  void note(bool found, os::Nanoseconds now) noexcept {
    if (!eager_) budget_.note(found, now);
  }

 private:
  const bool eager_;
  RaidBudget& budget_;
};

}  // namespace jobs::inline JOBS_ABI::detail
