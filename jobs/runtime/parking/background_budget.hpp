// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BackgroundBudget: whether a background job may begin, by the time that such jobs have taken
// (SchedulerOptions::max_background_share). BackgroundLimit owns it. Any thread may call it; the
// caller passes the time.
//
// Account. `rate` is the number of workers whose whole time the share is. While n workers run
// background jobs, the debt changes by n - rate nanoseconds per nanosecond. It is never negative,
// so time without background jobs earns no credit.
//
//     open    background jobs begin  --the debt exceeds the payment of kPeriod-->  closed
//     closed  none begins            --the debt is paid-->                         open
//
// A job that has begun continues in the closed state, and its time counts. So over a long time, the
// jobs take at most the share. A closed state lasts for kPeriod at least, so it ends at most 100
// times a second: sleeping workers wake up for that (Worker::wait_for_job).
//
// `opens_at_` is the time at which the debt is paid if no background job runs meanwhile. If one
// runs, the next try_begin() or is_spent() moves that time. A worker may read it without the lock,
// as a hint.
//
// Rejected:
// - A charge at the end of each job. A long job would count too late, and once more for the time in
//   which other jobs of the same period have ended.
// - A state without hysteresis. Jobs of a microsecond would alternate with sleeps of microseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BackgroundBudget {
 public:
  static constexpr os::Nanoseconds kPeriod = 10'000'000;

  // 0: no budget.
  explicit BackgroundBudget(double rate) noexcept : rate_(rate) {}

  bool is_set() const noexcept { return rate_ != 0; }
  // The time before which no background job may begin; 0: one may begin now. A hint.
  os::Nanoseconds opens_at() const noexcept { return opens_at_.load(std::memory_order_relaxed); }

  // A worker is about to run a background job. Returns false if it must not. pre: is_set()
  JOBS_COLD bool try_begin(os::Nanoseconds now) noexcept {
    const std::lock_guard guard(lock_);
    settle(now);
    if (opens_at() != 0) return false;
    running_ = running_ + 1;
    return true;
  }
  // The worker of a try_begin() runs the job no longer. pre: is_set()
  JOBS_COLD void end(os::Nanoseconds now) noexcept {
    const std::lock_guard guard(lock_);
    settle(now);
    running_ = running_ - 1;
  }
  // A job that runs asks whether it should leave the rest of its work to later. pre: is_set()
  JOBS_COLD bool is_spent(os::Nanoseconds now) noexcept {
    const std::lock_guard guard(lock_);
    settle(now);
    return opens_at() != 0;
  }

 private:
  // Bounds of one wait for the payment. The lower bound is for the rest of a debt that grew
  // meanwhile.
  static constexpr double kShortest = 1e6;
  static constexpr double kLongest = 1e9;

  // Accounts the time since the last call. Threads may come in another order than their times.
  JOBS_NOINLINE void settle(os::Nanoseconds now) noexcept {
    if (now > settled_at_) {
      const auto elapsed = static_cast<double>(now - settled_at_);
      debt_ = std::max(debt_ + (static_cast<double>(running_) - rate_) * elapsed, 0.0);
      settled_at_ = now;
    }
    // A debt below 1 ns is an error of rounding.
    const double most = opens_at() != 0 ? 1.0 : rate_ * static_cast<double>(kPeriod);
    const os::Nanoseconds at = debt_ > most ? settled_at_ + static_cast<os::Nanoseconds>(std::clamp(
                                                                debt_ / rate_, kShortest, kLongest))
                                            : 0;
    opens_at_.store(at, std::memory_order_relaxed);
  }

  const double rate_;
  RawSpinLock lock_;
  // The workers that run background jobs.
  Plain<std::uint32_t> running_{0};
  Plain<double> debt_{0};
  Plain<os::Nanoseconds> settled_at_{0};
  // 0: open.
  Atomic<os::Nanoseconds> opens_at_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
