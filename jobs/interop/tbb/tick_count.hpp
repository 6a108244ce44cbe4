// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tick_count of oneTBB: a point in time of a monotonic clock. A plain value.
#pragma once

#include <chrono>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// A point in time of std::chrono::steady_clock. Behaves as oneTBB's.
class tick_count {
 public:
  /// The difference of two points in time.
  class interval_t {
   public:
    /// An interval of this length in seconds.
    explicit interval_t(double seconds = 0) : seconds_(seconds) {}
    /// Returns the length in seconds.
    double seconds() const { return seconds_; }
    /// Returns the sum of two intervals.
    friend interval_t operator+(const interval_t& a, const interval_t& b) {
      return interval_t(a.seconds_ + b.seconds_);
    }
    /// Returns the difference of two intervals.
    friend interval_t operator-(const interval_t& a, const interval_t& b) {
      return interval_t(a.seconds_ - b.seconds_);
    }
    /// Adds an interval.
    interval_t& operator+=(const interval_t& other) { return *this = *this + other; }
    /// Subtracts an interval.
    interval_t& operator-=(const interval_t& other) { return *this = *this - other; }

   private:
    double seconds_;
  };

  /// An unspecified point in time.
  tick_count() = default;
  /// Returns the current time.
  static tick_count now() {
    tick_count result;
    result.moment_ = Clock::now();
    return result;
  }
  /// Returns the time between two points.
  friend interval_t operator-(const tick_count& later, const tick_count& earlier) {
    return interval_t(std::chrono::duration<double>(later.moment_ - earlier.moment_).count());
  }
  /// Returns the resolution of the clock in seconds.
  static double resolution() {
    return static_cast<double>(Clock::period::num) / Clock::period::den;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point moment_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
