// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoneJobs: whether jobs come one at a time. If they do, the worker that a last searcher wakes
// finds nothing, and the wake-up only delays the job. Idle asks it at step F0; README.md has the
// measurement.
//
// A new scheduler expects lone jobs. It is a mistake if a thread has to wake a worker shortly after
// a last searcher has woken none. Then the habit has to be learned: from several such wake-ups in
// vain in a row, and from more of them after each mistake. Many lone jobs in a row take that back.
//
// Any thread. Concurrent calls may lose an update. No protocol depends on the answer, so the
// members are no std::atomic<T>: the models explore the steps of Idle with either answer.
#pragma once

#include <atomic>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class LoneJobs {
 public:
  // The second worker would have searched for that long: ConcurrencyLimit::kSearch.
  static constexpr os::Nanoseconds kSearch = 50'000;
  static constexpr unsigned kFirstTimes = 2;
  static constexpr unsigned kMostTimes = 2048;  // kFirstTimes, and a power of kCaution times that
  // Each mistake takes that many times more wake-ups in vain.
  static constexpr unsigned kCaution = 4;
  static constexpr unsigned kTimesForTrust = 64;

  bool are_usual() const noexcept {
    return vain_times_.load(std::memory_order_relaxed) >= times_.load(std::memory_order_relaxed);
  }

  // The worker that a last searcher has woken has found nothing.
  void woken_in_vain() noexcept {
    if (are_usual()) return;
    vain_times_.store(vain_times_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // It has found a job, or a last searcher sees one.
  void more_came() noexcept {
    vain_times_.store(0, std::memory_order_relaxed);
    lone_times_.store(0, std::memory_order_relaxed);
  }

  // A last searcher wakes no worker.
  void left_alone(os::Nanoseconds now) noexcept {
    left_at_.store(now, std::memory_order_relaxed);
    const unsigned lone_times = lone_times_.load(std::memory_order_relaxed) + 1;
    const unsigned times = times_.load(std::memory_order_relaxed);
    const bool is_trusted = lone_times >= kTimesForTrust;
    lone_times_.store(is_trusted ? 0 : lone_times, std::memory_order_relaxed);
    if (is_trusted && times > kFirstTimes)
      times_.store(times / kCaution, std::memory_order_relaxed);
  }
  // A thread that is no last searcher wakes a worker.
  JOBS_ALWAYS_INLINE void woken_by_push(os::Nanoseconds now) noexcept {
    if (!are_usual() || now - left_at_.load(std::memory_order_relaxed) > kSearch) return;
    const unsigned times = times_.load(std::memory_order_relaxed);
    if (times < kMostTimes) times_.store(kCaution * times, std::memory_order_relaxed);
    more_came();
  }

 private:
  std::atomic<unsigned> vain_times_{kFirstTimes};  // in a row
  std::atomic<unsigned> lone_times_{0};            // in a row, without a mistake
  std::atomic<unsigned> times_{kFirstTimes};
  std::atomic<os::Nanoseconds> left_at_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
