// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaf of the workloads with work: a chain of dependent multiplications, which no compiler
// shortens and no processor overlaps. A step takes 0.9 to 1.3 ns.
#pragma once

#include <cstdint>

#include "bench/support/stopwatch.hpp"

namespace bench {

inline constexpr std::uint32_t kFirst = 12'345;
// 1.6 us on the machine of the gates of frame_loop (two cores of Zen 4, virtual).
inline constexpr std::int64_t kShortSteps = 1'420;

constexpr std::uint32_t step(std::uint32_t state) { return state * 1'664'525 + 1'013'904'223; }
inline std::uint32_t chain(std::uint32_t state, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) state = opaque(step(state));
  return state;
}

}  // namespace bench
