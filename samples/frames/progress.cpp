// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The painter thread of the bar: ten short wake-ups per second, or none if the output is not a
// terminal.
#include "samples/frames/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace frames {
namespace {

constexpr int kBarWidth = 28;
constexpr auto kPeriod = std::chrono::milliseconds(100);

}  // namespace

void Tally::add(const TileCost& cost, std::chrono::nanoseconds busy) {
  rays_.fetch_add(cost.rays, std::memory_order_relaxed);
  samples_.fetch_add(cost.samples, std::memory_order_relaxed);
  busy_.fetch_add(busy.count(), std::memory_order_relaxed);
  tiles_.fetch_add(1, std::memory_order_relaxed);
}

ProgressBar::ProgressBar(const Backend& backend, const Tally& tally, int tile_count)
    : backend_(backend),
      tally_(tally),
      tile_count_(tile_count),
      steals_before_(backend.steal_count().value_or(0)) {
  if (isatty(STDERR_FILENO) != 0) painter_ = std::thread([this] { draw_until_stopped(); });
}

ProgressBar::~ProgressBar() {
  if (!painter_.joinable()) return;
  {
    const std::scoped_lock held(mutex_);
    stopped_ = true;
  }
  stopped_signal_.notify_one();
  painter_.join();
}

void ProgressBar::draw_until_stopped() {
  std::unique_lock held(mutex_);
  while (!stopped_signal_.wait_for(held, kPeriod, [this] { return stopped_; })) {
    fmt::print(stderr, "\r{}\x1b[K", line());
    std::fflush(stderr);
  }
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::string ProgressBar::line() const {
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double done = static_cast<double>(tally_.tiles()) / tile_count_;
  const auto filled = static_cast<std::size_t>(done * kBarWidth);
  std::string text =
      fmt::format("{:<6} {:2} {} [{}{}] {:3.0f} %  {:5.2f} Mray/s", backend_.name(),
                  backend_.worker_count(), backend_.worker_count() == 1 ? "worker " : "workers",
                  std::string(filled, '='), std::string(kBarWidth - filled, ' '), 100 * done,
                  static_cast<double>(tally_.rays()) / seconds / 1e6);
  if (const auto steals = backend_.steal_count())
    text += fmt::format("  {} steals", *steals - steals_before_);
  // A tile counts after its end, so the first figures are too low.
  const double busy =
      std::chrono::duration<double>(tally_.busy()).count() / seconds / backend_.worker_count();
  return text + fmt::format("  {:.0f} % busy", 100 * std::min(1.0, busy));
}

}  // namespace frames
