// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// counter_wait: four jobs of 0.5 us each with a counter, and a wait for it, repeatedly: a step of a
// physics engine that starts its jobs from its own thread. Unit: ns per step.
#pragma once

#include <array>
#include <cstdint>

#include "bench/support/chain.hpp"
#include "bench/support/contender.hpp"

namespace bench::counter_wait {

inline constexpr std::size_t kJobs = 4;
inline constexpr int kSteps = 5'000;
inline constexpr std::int64_t kChain = 400;

struct alignas(64) Slot {
  std::uint32_t sum = 0;
};
using Slots = std::array<Slot, kJobs>;
inline void run(Slot& slot) { slot.sum += chain(kFirst, kChain); }

// `step(slots)` calls run() once for each slot and returns after all calls.
template <class Step>
double step_ns(Step&& step) {
  Slots slots;
  const auto step_often = [&] {
    for (int i = 0; i < kSteps; ++i) step(slots);
  };
  step_often();
  const Stopwatch stopwatch;
  step_often();
  const double ns = stopwatch.elapsed_ns();
  for (const Slot& slot : slots) expect_equal(2u * kSteps * chain(kFirst, kChain), slot.sum);
  return ns / kSteps;
}

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::counter_wait
