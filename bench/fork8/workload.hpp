// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork8: one fork_join of eight functions, called repeatedly. fork8_1us: each function computes for
// about 1.6 us. fork8_empty: the functions are empty. Unit: ns per fork_join.
#pragma once

#include <array>
#include <cstdint>

#include "bench/support/chain.hpp"
#include "bench/support/contender.hpp"

namespace bench::fork8 {

inline constexpr int kFunctions = 8;
inline constexpr int kCalls = 2'000;

struct Short {
  static constexpr std::int64_t kSteps = kShortSteps;
};
struct Empty {
  static constexpr std::int64_t kSteps = 0;
};

// The results of the functions, each on a cache line of its own.
struct alignas(64) Slot {
  std::uint32_t sum = 0;
};
using Slots = std::array<Slot, kFunctions>;

// The body of function i.
template <class Work>
void run(Slots& slots, std::size_t i) {
  slots[i].sum += chain(kFirst, Work::kSteps);
}

// `fork_join(slots)` calls run(slots, i) once for each i.
template <class Work, class ForkJoin>
double call_ns(ForkJoin&& fork_join) {
  Slots slots;
  const auto call_often = [&] {
    for (int call = 0; call < kCalls; ++call) fork_join(slots);
  };
  call_often();
  const Stopwatch stopwatch;
  call_often();
  const double ns = stopwatch.elapsed_ns();
  const std::uint32_t once = chain(kFirst, Work::kSteps);
  for (const Slot& slot : slots) expect_equal(2u * kCalls * once, slot.sum);
  return ns / kCalls;
}

template <class Work>
Figures serial(const Conditions&);
template <class Work>
Figures on_jobs(const Conditions&);
template <class Work>
Figures on_tbb(const Conditions&);

}  // namespace bench::fork8
