// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tick_count of oneTBB: a moment of a clock that never goes back.
#pragma once

#include <chrono>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::tbb {

class tick_count {
 public:
  class interval_t {
   public:
    explicit interval_t(double seconds = 0) : seconds_(seconds) {}
    double seconds() const { return seconds_; }
    friend interval_t operator+(const interval_t& a, const interval_t& b) {
      return interval_t(a.seconds_ + b.seconds_);
    }
    friend interval_t operator-(const interval_t& a, const interval_t& b) {
      return interval_t(a.seconds_ - b.seconds_);
    }
    interval_t& operator+=(const interval_t& other) { return *this = *this + other; }
    interval_t& operator-=(const interval_t& other) { return *this = *this - other; }

   private:
    double seconds_;
  };

  tick_count() = default;
  static tick_count now() {
    tick_count result;
    result.moment_ = Clock::now();
    return result;
  }
  friend interval_t operator-(const tick_count& later, const tick_count& earlier) {
    return interval_t(std::chrono::duration<double>(later.moment_ - earlier.moment_).count());
  }
  static double resolution() { return static_cast<double>(Clock::period::num) / Clock::period::den; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point moment_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
