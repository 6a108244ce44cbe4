// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// channel: one fiber pushes integers into an unbuffered channel; another fiber of the same worker
// pops and adds them. Unit: ns per item. channel_named: each channel passes
// fewer items, and the runtime places the fibers of each channel on workers anew. The figure is the
// mean of all channels.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::channel {

inline constexpr std::int64_t kItems = 500'000;
inline constexpr std::int64_t kFewItems = 2'000;
inline constexpr int kChannels = 20;

// `transfer(items)` sends the numbers 1 ... items and returns the sum of the received ones.
template <class Transfer>
double item_ns(std::int64_t items, Transfer&& transfer) {
  return checked_ns(items * (items + 1) / 2, [&] { return transfer(items); }) /
         static_cast<double>(items);
}

// The same through kChannels channels, one after another, of kFewItems items each.
template <class Transfer>
double few_item_ns(Transfer&& transfer) {
  constexpr std::int64_t kSum = kChannels * kFewItems * (kFewItems + 1) / 2;
  return checked_ns(kSum,
                    [&] {
                      std::int64_t sum = 0;
                      for (int i = 0; i < kChannels; ++i) sum += transfer(kFewItems);
                      return sum;
                    }) /
         (kChannels * kFewItems);
}

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);
Figures few_on_jobs(const Conditions&);
Figures few_on_boost_fiber(const Conditions&);

}  // namespace bench::channel
