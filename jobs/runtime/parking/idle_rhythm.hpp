// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// IdleRhythm: how long a worker without work spins, and when it wakes up by itself. It learns from
// the gaps between bursts of work, and spends a budget of time.
//
// A wake-up of a sleeping thread takes 5 to 50 us. A worker that spins takes work within 0.1 us,
// but the time is lost if no work arrives. Two cases repay it: work often follows at once; or
// bursts come at a steady rhythm, as the frames of a game do. In the second case the worker sleeps
// first, and wakes up shortly before the next burst.
//
//     gap:  |--first spin--|--------sleep until--------|--spin--|burst
//
// Each worker owns one object. Only the worker calls it. The object reads no clock.
//
// The budget: spinning in vain takes at most a share of the time of a worker. A spin that ends with
// work is free.
#pragma once

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class IdleRhythm {
 public:
  // A shorter gap is no gap between bursts: the first spin covers it.
  static constexpr os::Nanoseconds kShortestGap = 20'000;
  // A longer gap is not predicted.
  static constexpr os::Nanoseconds kLongestGap = 100'000'000;
  // Gaps of one rhythm, before the worker relies on it.
  static constexpr unsigned kGaps = 4;
  // The spin before the expected time allows for a late timer. It is learned, within these limits.
  static constexpr os::Nanoseconds kLeastLead = 10'000;
  static constexpr os::Nanoseconds kMostLead = 150'000;
  // The budget that a worker saves.
  static constexpr os::Nanoseconds kMostSaved = 2'000'000;
  // The first spin, if the budget is spent or a rhythm is known; also the spin after a wake-up by
  // another thread, if the budget is spent.
  static constexpr os::Nanoseconds kLeastSpin = 2'000;

  // `share`: of the worker's time, in [0, 1].
  explicit IdleRhythm(double share) noexcept : share_(share), saved_(share > 0 ? kMostSaved : 0) {}

  // The worker has run out of work. Returns the time until which it spins. `longest`: how long, if
  // no burst is expected.
  os::Nanoseconds begin(os::Nanoseconds now, os::Nanoseconds longest) noexcept;

  // The worker has spun in vain and is about to sleep. Returns the time at which it wakes up by
  // itself; os::kNever: no burst is expected.
  os::Nanoseconds sleep(os::Nanoseconds now) noexcept;

  // The worker wakes up. Returns the time until which it spins, at most `longest` from now on
  // if no burst is expected. `by_itself`: at the time that sleep() has returned. Otherwise another
  // thread or another deadline of the worker has ended its sleep, perhaps in vain.
  os::Nanoseconds wake(os::Nanoseconds now, bool by_itself, os::Nanoseconds longest) noexcept;

  // The worker has found work, which arrived at that time.
  void found(os::Nanoseconds arrival) noexcept;

 private:
  // Returns whether the next burst is expected at a known time.
  bool is_steady() const noexcept { return gaps_ == kGaps && 8 * deviation_ <= gap_; }
  os::Nanoseconds expected_end() const noexcept {
    return begin_ + gap_ + 2 * deviation_ + kLeastLead;
  }
  // The longest spin around the expected time.
  os::Nanoseconds window() const noexcept { return lead_ + 4 * deviation_ + kLeastLead; }
  void save(os::Nanoseconds now) noexcept;

  const double share_;
  os::Nanoseconds begin_ = 0;
  os::Nanoseconds spin_begin_ = 0;
  os::Nanoseconds wake_at_ = os::kNever;
  bool has_woken_ = false;
  // The rhythm: gaps seen, their mean and their mean error.
  unsigned gaps_ = 0;
  os::Nanoseconds gap_ = 0;
  os::Nanoseconds deviation_ = 0;
  // The time by which the worker wakes up before the burst.
  os::Nanoseconds lead_ = kMostLead / 2;
  // The budget.
  os::Nanoseconds saved_;
  os::Nanoseconds saved_at_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
