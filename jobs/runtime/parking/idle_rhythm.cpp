// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// IdleRhythm, compiled for size: a worker calls it when it has no work.
#include "jobs/runtime/parking/idle_rhythm.hpp"

#include <algorithm>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD os::Nanoseconds IdleRhythm::begin(os::Nanoseconds now, os::Nanoseconds longest) noexcept {
  save(now);
  begin_ = now;
  spin_begin_ = now;
  os::Nanoseconds spin = longest;
  if (is_steady()) {
    // If the gap is too short for a sleep, the worker spins through it.
    const bool is_short = gap_ <= lead_ + 2 * deviation_ + kLeastSpin;
    spin = is_short ? expected_end() - now : 0;
  }
  return now + (spin <= saved_ ? std::max(spin, kLeastSpin) : kLeastSpin);
}

JOBS_COLD os::Nanoseconds IdleRhythm::sleep(os::Nanoseconds now) noexcept {
  save(now);
  saved_ = std::max(saved_ - (now - spin_begin_), -kMostSaved);
  wake_at_ = os::kNever;
  if (!is_steady() || has_woken_) {
    if (has_woken_) gaps_ = 0;  // The burst has not come.
    has_woken_ = false;
    return os::kNever;
  }
  const os::Nanoseconds at = begin_ + gap_ - lead_ - 2 * deviation_;
  if (at <= now || saved_ < window()) return os::kNever;
  wake_at_ = at;
  return at;
}

JOBS_COLD os::Nanoseconds IdleRhythm::wake(os::Nanoseconds now, bool by_itself,
                                           os::Nanoseconds longest) noexcept {
  save(now);
  spin_begin_ = now;
  has_woken_ = by_itself;
  if (!by_itself) return now + (longest <= saved_ ? longest : std::min(longest, kLeastSpin));
  // A timer is late by a time that the machine determines.
  const os::Nanoseconds late = now - wake_at_;
  lead_ = std::clamp(lead_ + (late + kLeastLead - lead_) / 4, kLeastLead, kMostLead);
  return std::max(now + kLeastSpin, expected_end());
}

JOBS_COLD void IdleRhythm::found(os::Nanoseconds arrival) noexcept {
  has_woken_ = false;
  const os::Nanoseconds gap = arrival - begin_;
  if (gap < kShortestGap) return;
  if (gap > kLongestGap) {
    gaps_ = 0;
    return;
  }
  const os::Nanoseconds error = gaps_ == 0 ? 0 : std::max(gap - gap_, gap_ - gap);
  if (gaps_ == 0 || error > gap_ / 2) {
    gaps_ = 1;
    gap_ = gap;
    deviation_ = 0;
    return;
  }
  deviation_ += (error - deviation_) / 4;
  gap_ += (gap - gap_) / 4;
  if (gaps_ < kGaps) ++gaps_;
}

JOBS_COLD void IdleRhythm::save(os::Nanoseconds now) noexcept {
  const auto earned = static_cast<os::Nanoseconds>(share_ * static_cast<double>(now - saved_at_));
  saved_ = std::min(saved_ + earned, kMostSaved);
  saved_at_ = now;
}

}  // namespace jobs::inline JOBS_ABI::detail
