// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// channel: one fiber pushes integers into an unbuffered channel; another fiber of the same worker
// pops and adds them. Unit: ns per item.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::channel {

inline constexpr std::int64_t kItems = 500'000;
inline constexpr std::int64_t kSum = kItems * (kItems + 1) / 2;

// `transfer()` sends the numbers 1 ... kItems and returns the sum of the received ones.
template <class Transfer>
double item_ns(Transfer&& transfer) {
  return checked_ns(kSum, transfer) / kItems;
}

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);

}  // namespace bench::channel
