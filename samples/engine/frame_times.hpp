// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FrameTimes: the deadlines of the frames, and how long the frames take.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

namespace engine {

class FrameTimes {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FrameTimes(int rate) : length_(std::chrono::nanoseconds(1'000'000'000 / rate)) {}

  void begin() {
    begin_ = Clock::now();
    // A frame that is very late does not make the later ones hurry.
    deadline_ = std::max(deadline_, begin_ - length_) + length_;
  }
  void presented() {
    const Clock::time_point now = Clock::now();
    milliseconds_.push_back(std::chrono::duration<double, std::milli>(now - begin_).count());
    late_ += now > deadline_ ? 1 : 0;
  }

  // The point in time at which the next frame begins.
  Clock::time_point deadline() const { return deadline_; }
  // Background work of the frame ends at this time: after a quarter of the frame, or two
  // milliseconds before the next one.
  Clock::time_point background_until() const {
    return std::min(Clock::now() + length_ / 4, deadline_ - std::chrono::milliseconds(2));
  }

  int late() const { return late_; }
  // Returns the time of a frame. `share`: 0.5 for the median, 1 for the longest.
  double percentile(double share) const {
    std::vector<double> sorted = milliseconds_;
    std::sort(sorted.begin(), sorted.end());
    const double last = static_cast<double>(sorted.size() - 1);
    return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * last)];
  }
  // The processor time of the whole program per frame, in milliseconds.
  double cpu_per_frame() const {
    const double seconds = static_cast<double>(std::clock() - cpu_begin_) / CLOCKS_PER_SEC;
    return 1e3 * seconds / static_cast<double>(std::max<std::size_t>(milliseconds_.size(), 1));
  }

 private:
  Clock::duration length_;
  std::clock_t cpu_begin_ = std::clock();
  Clock::time_point begin_;
  Clock::time_point deadline_ = Clock::now();
  std::vector<double> milliseconds_;
  int late_ = 0;
};

}  // namespace engine
