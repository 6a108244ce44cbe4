// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WakerHabit: whether the thread that wakes a worker leaves its own CPU at once. If it does, the
// worker may start on that CPU, which is faster than waking a halted one. Idle asks it for each
// wake-up from outside; README.md has the measurement.
//
// The woken worker reads how much CPU time the waker has used since the wake-up: little if it has
// left its CPU, all of the time if it computes. After several brief times in a row, the worker may
// share the CPU. Then a waker that computes keeps the worker waiting, which is a mistake: more
// brief times have to come first. Many times in a row without a mistake take that back.
//
// Not thread-safe, except for waited(): Idle's count of searchers orders the calls.
#pragma once

#include <atomic>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WakerHabit {
 public:
  // Less than the start of a worker on a halted CPU of a virtual machine takes.
  static constexpr os::Nanoseconds kBrief = 30'000;
  // A worker that shares the CPU may wait for that long. More is a mistake.
  static constexpr os::Nanoseconds kMostWait = 100'000;
  static constexpr unsigned kFirstTimes = 1;
  static constexpr unsigned kMostTimes = 4096;  // a power of kCaution
  // Each mistake takes that many times more brief times.
  static constexpr unsigned kCaution = 4;
  // A mistake costs as much time as that many workers save that share the CPU.
  static constexpr unsigned kTimesForTrust = 64;

  // The waker, before it wakes the worker. Returns whether the worker may start on its CPU.
  bool is_known_of(os::ThreadId thread) noexcept {
    if (was_long_.load(std::memory_order_relaxed)) {
      was_long_.store(false, std::memory_order_relaxed);
      // It was a mistake if the thread was known to be brief.
      if (is_known() && times_ < kMostTimes) times_ = kCaution * times_;
      forget();
    }
    if (thread != thread_) forget();
    thread_ = thread;
    return is_known();
  }
  // The waker, after all that it does before the worker can start. `cpu_time`: of its thread.
  void sends_token(os::Nanoseconds now, os::Nanoseconds cpu_time) noexcept {
    woken_at_ = now;
    cpu_time_ = cpu_time;
  }

  // The woken worker.
  os::ThreadId thread() const noexcept { return thread_; }
  // The worker has a CPU. `cpu_time`: of the waker.
  void started(os::Nanoseconds now, os::Nanoseconds cpu_time) noexcept {
    const os::Nanoseconds used = cpu_time - cpu_time_;
    const os::Nanoseconds passed = now - woken_at_;
    if (is_known() ? used <= kMostWait : used <= kBrief && 4 * used <= 3 * passed) {
      if (!is_known()) {
        brief_times_ = brief_times_ + 1;
      } else {
        trust();
      }
      return;
    }
    was_long_.store(true, std::memory_order_relaxed);
  }

  // Any worker: it has run a job on the CPU of the waker, and has then waited for the CPU longer
  // than kMostWait. No protocol depends on it, so the models leave it out.
  void waited() noexcept { was_long_.store(true, std::memory_order_relaxed); }

 private:
  bool is_known() const noexcept { return brief_times_ >= times_; }
  void forget() noexcept {
    brief_times_ = 0;
    shared_times_ = 0;
  }
  void trust() noexcept {
    shared_times_ = shared_times_ + 1;
    if (shared_times_ < kTimesForTrust) return;
    shared_times_ = 0;
    if (times_ > kFirstTimes) times_ = times_ / kCaution;
  }

  Plain<os::ThreadId> thread_{0};
  Plain<os::Nanoseconds> woken_at_{0};
  Plain<os::Nanoseconds> cpu_time_{0};
  Plain<unsigned> brief_times_{0};   // in a row
  Plain<unsigned> shared_times_{0};  // in a row, without a mistake
  Plain<unsigned> times_{kFirstTimes};
  std::atomic<bool> was_long_{false};  // the last time
};

}  // namespace jobs::inline JOBS_ABI::detail
