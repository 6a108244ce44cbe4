// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pingpong: two fibers pass a turn back and forth. Local: both have the same home. Remote: they are
// on two workers. Each side uses its cheapest means: jobs::Event, and Boost.Fiber's unbuffered
// channel. Unit: ns per hand-off, one way.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::pingpong {

inline constexpr std::int64_t kLocalRounds = 200'000;
inline constexpr std::int64_t kRemoteRounds = 2'000;

// `play(rounds)` plays this number of rounds of two hand-offs each and returns the number of
// received replies.
template <class Play>
double hand_off_ns(std::int64_t rounds, Play&& play) {
  return checked_ns(rounds, [&] { return play(rounds); }) / static_cast<double>(2 * rounds);
}

Figures local_on_jobs(const Conditions&);
Figures local_on_boost_fiber(const Conditions&);
Figures remote_on_jobs(const Conditions&);
Figures remote_on_boost_fiber(const Conditions&);

}  // namespace bench::pingpong
