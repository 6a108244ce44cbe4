// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BackgroundLimit: how many workers run background jobs at a time
// (SchedulerOptions::max_background_workers), and for how much of their time (BackgroundBudget). A
// worker enters before it takes a background job from a shared queue, and leaves when the job has
// ended or waits: before it takes another job or continues a ready fiber. So a background job may
// wait for another one, also with a limit of 1.
//
// SharedJobs owns it. Any worker may call it.
//
// A worker does not look at background jobs while the limit is reached, and it may sleep meanwhile.
// So leaving is like a push: the leaving worker wakes a sleeper if background jobs remain.
//
//   worker A, which leaves                 worker B, which goes to sleep
//   step 1  running -= 1                   step 1  announces itself (Idle, step W1)
//   step 2  fence [background_limit.1]     step 2  fence (Idle, step W3)
//   step 3  reads the queue; if it has a   step 3  reads the queue and `running`
//           job: Idle::published_outside()
//
// Proof. If A's fence precedes B's fence, B sees the room. Otherwise A sees the bit of B, if it
// sees the job. It misses the job only if the fence of the push follows A's fence. Then the push
// sees the bit of B, or B's fence follows it, and A's fence precedes that of B.
//
// A budget that is spent opens by itself, at a known time. So a worker that sees it closed, and a
// job in the queue, sleeps at most until then (Worker::wait_for_job). Each push and each leaving
// worker wakes a sleeper also while the budget is closed; the woken worker then sleeps until that
// time. Before a worker with such a time runs a message instead, it passes the time on in the same
// way. So one sleeper has the time, or a worker that searches will have it.
//
// Rejected: a fixed set of workers for background jobs. One of them may run a long normal job while
// the other workers idle.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/parking/background_budget.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace background_limit_order {
// [background_limit.1] partners: the heavy_fence of Idle::park(), and that of a push.
JOBS_ORDER(kLeave, seq_cst);
}  // namespace background_limit_order

// What a scheduler allows background jobs.
struct BackgroundBounds {
  // The number of workers; 0: no limit, and no budget.
  std::uint32_t workers = 0;
  // The number of workers whose whole time is the budget; 0: no budget.
  double rate = 0;
};

class BackgroundLimit {
 public:
  explicit BackgroundLimit(BackgroundBounds bounds) noexcept
      : limit_(bounds.workers), budget_(bounds.rate) {}
  bool is_set() const noexcept { return limit_ != 0; }
  // Returns whether fewer workers have entered than may. The result is a hint, except to a thread
  // that has executed a fence of the idle protocol.
  JOBS_ALWAYS_INLINE bool has_place() const noexcept {
    return limit_ == 0 || running_.load(std::memory_order_relaxed) < limit_;
  }
  // As has_place(), and returns false while the budget is spent.
  bool has_room() const noexcept { return has_place() && opens_at() == os::kNever; }
  // The time at which a budget that is spent opens; kNever: it is not spent.
  os::Nanoseconds opens_at() const noexcept {
    const os::Nanoseconds at = budget_.opens_at();
    return at == 0 || at <= os::now() ? os::kNever : at;
  }
  // Returns whether background jobs that run should leave the rest of their work to later.
  bool is_spent() noexcept { return budget_.is_set() && budget_.is_spent(os::now()); }
  // Returns false if the limit is reached, or the budget is spent. pre: is_set()
  bool try_enter() noexcept {
    if (budget_.is_set() && !budget_.try_begin(os::now())) return false;
    std::uint32_t running = running_.load(std::memory_order_relaxed);
    while (running < limit_) {
      if (running_.compare_exchange_weak(running, running + 1, std::memory_order_relaxed,
                                         std::memory_order_relaxed))
        return true;
    }
    if (budget_.is_set()) budget_.end(os::now());
    return false;
  }
  JOBS_ALWAYS_INLINE void leave() noexcept {
    if (budget_.is_set()) budget_.end(os::now());
    running_.fetch_sub(1, std::memory_order_relaxed);
    full_fence(background_limit_order::kLeave);
  }

 private:
  const std::uint32_t limit_;
  Atomic<std::uint32_t> running_{0};
  BackgroundBudget budget_;
};

}  // namespace jobs::inline JOBS_ABI::detail
