// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The progress of a picture: on a terminal a bar that moves, otherwise nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "samples/frames/backend.hpp"
#include "samples/frames/tracer.hpp"

namespace frames {

// Sums over all finished tiles. Any thread adds. The order of the additions does not matter, so all
// are relaxed. The end of Backend::for_each_tile() makes them visible to its caller.
class Tally {
 public:
  void add(const TileCost& cost, std::chrono::nanoseconds busy);

  int tiles() const { return tiles_.load(std::memory_order_relaxed); }
  std::uint64_t rays() const { return rays_.load(std::memory_order_relaxed); }
  std::uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  std::chrono::nanoseconds busy() const {
    return std::chrono::nanoseconds(busy_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<int> tiles_ = 0;
  std::atomic<std::uint64_t> rays_ = 0;
  std::atomic<std::uint64_t> samples_ = 0;
  // Nanoseconds inside render_tile(), summed over all workers.
  std::atomic<std::int64_t> busy_ = 0;
};

// Draws the bar ten times per second on standard error, from construction to destruction, if
// standard error is a terminal.
class ProgressBar {
 public:
  ProgressBar(const Backend& backend, const Tally& tally, int tile_count);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw_until_stopped();
  std::string line() const;

  const Backend& backend_;
  const Tally& tally_;
  const int tile_count_;
  const std::uint64_t steals_before_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable stopped_signal_;
  bool stopped_ = false;
  std::thread painter_;
};

}  // namespace frames
