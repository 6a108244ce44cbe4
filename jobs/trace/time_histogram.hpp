// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeHistogram: the number, the sum and the distribution of times, for quantiles. One thread adds
// times; any thread may read concurrently. TimeCounts is a copy that can be summed and subtracted.
//
// Buckets are logarithmic: eight for each power of two. A quantile is the middle of its bucket, so
// its error is at most 6 %.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "jobs/base/counters.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// The buckets of times in ticks.
struct TimeBuckets {
  static constexpr unsigned kStepBits = 3;
  static constexpr unsigned kSteps = 1u << kStepBits;  // for each power of two
  static constexpr unsigned kLongestBits = 48;         // a day, in ticks of 3 GHz
  static constexpr std::size_t kCount = (kLongestBits - kStepBits + 1) * kSteps;

  // The times below kSteps have a bucket each.
  static constexpr std::size_t index(std::uint64_t ticks) noexcept {
    if (ticks < kSteps) return ticks;
    const auto bits = static_cast<unsigned>(std::bit_width(ticks));
    if (bits > kLongestBits) return kCount - 1;
    const unsigned shift = bits - 1 - kStepBits;
    return (std::size_t{shift} << kStepBits) + (ticks >> shift);
  }
  static constexpr std::uint64_t middle(std::size_t index) noexcept {
    if (index < 2 * kSteps) return index;
    const auto shift = static_cast<unsigned>((index >> kStepBits) - 1);
    const std::uint64_t low = (index - (std::size_t{shift} << kStepBits)) << shift;
    return low + (std::uint64_t{1} << shift) / 2;
  }
};

// A copy of a histogram.
struct TimeCounts {
  std::uint64_t count = 0;
  std::uint64_t total = 0;  // in ticks
  std::array<std::uint64_t, TimeBuckets::kCount> buckets{};

  TimeCounts& operator+=(const TimeCounts& other) noexcept {
    count += other.count;
    total += other.total;
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
    return *this;
  }
  // pre: `other` is an earlier copy of the same histogram.
  TimeCounts& operator-=(const TimeCounts& other) noexcept {
    count -= other.count;
    total -= other.total;
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] -= other.buckets[i];
    return *this;
  }
  // Returns the time, in ticks, that `share` of the times do not exceed; 0 without times.
  std::uint64_t quantile(double share) const noexcept {
    const double wanted = share * static_cast<double>(count);
    std::uint64_t below = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i] == 0) continue;
      last = i;
      below += buckets[i];
      if (static_cast<double>(below) >= wanted) break;
    }
    return TimeBuckets::middle(last);
  }
};

class TimeHistogram {
 public:
  // Writer only.
  void add(std::uint64_t ticks) noexcept {
    buckets_[TimeBuckets::index(ticks)].add(1);
    total_.add(ticks);
    count_.add(1);
  }
  // Any thread. The figures of a copy may differ by the times that the writer adds meanwhile.
  TimeCounts read() const noexcept {
    TimeCounts copy;
    copy.count = count_.read();
    copy.total = total_.read();
    for (std::size_t i = 0; i < buckets_.size(); ++i) copy.buckets[i] = buckets_[i].read();
    return copy;
  }

 private:
  jobs::detail::SingleWriterCounter count_;
  jobs::detail::SingleWriterCounter total_;
  std::array<jobs::detail::SingleWriterCounter, TimeBuckets::kCount> buckets_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
