// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pingpong: two fibers hand a turn to and fro and do nothing else. Local: both at home on one worker. Remote: on two workers.
// Each side uses its own cheapest means: jobs::Event, and Boost.Fiber's unbuffered channel. Unit: ns per hand-off, one way.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::pingpong {

inline constexpr std::int64_t kLocalRounds = 200'000;
inline constexpr std::int64_t kRemoteRounds = 2'000;

// `play(rounds)` makes that many rounds of two hand-offs each and returns how many replies it has seen.
template <class Play>
double hand_off_ns(std::int64_t rounds, Play&& play) {
  return checked_ns(rounds, [&] { return play(rounds); }) / static_cast<double>(2 * rounds);
}

Figures local_on_jobs(const Conditions&);
Figures local_on_boost_fiber(const Conditions&);
Figures remote_on_jobs(const Conditions&);
Figures remote_on_boost_fiber(const Conditions&);

}  // namespace bench::pingpong
