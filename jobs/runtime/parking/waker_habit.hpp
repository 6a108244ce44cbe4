// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WakerHabit: whether the thread that wakes a worker leaves its own CPU at once. If it does, the
// worker may start on that CPU, which is faster than waking a halted one. Idle asks it for each
// wake-up from outside; README.md has the measurement.
//
// The woken worker reads how much CPU time the waker has used since the wake-up: little if it has
// left its CPU, all of the time if it computes. After several brief times in a row, the worker may
// share the CPU. Then a waker that computes keeps the worker waiting, which is a mistake.
//
// Not thread-safe: Idle's count of searchers orders the calls.
#pragma once

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

  // The waker, before it wakes the worker. Returns whether the worker may start on its CPU.
  bool is_known_of(os::ThreadId thread) noexcept {
    if (thread != thread_) brief_times_ = 0;
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
    if (is_known() ? used <= kMostWait : used <= kBrief && 2 * used <= passed) {
      if (!is_known()) brief_times_ = brief_times_ + 1;
      return;
    }
    if (is_known() && times_ < kMostTimes) times_ = kCaution * times_;
    brief_times_ = 0;
  }

 private:
  bool is_known() const noexcept { return brief_times_ == times_; }

  Plain<os::ThreadId> thread_{0};
  Plain<os::Nanoseconds> woken_at_{0};
  Plain<os::Nanoseconds> cpu_time_{0};
  Plain<unsigned> brief_times_{0};
  Plain<unsigned> times_{kFirstTimes};
};

}  // namespace jobs::inline JOBS_ABI::detail
