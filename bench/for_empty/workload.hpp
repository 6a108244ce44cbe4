// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// for_empty_N: a loop of N empty iterations, called repeatedly. It measures the cost of a call
// without a benefit. Unit: ns per call of the loop.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::for_empty {

inline constexpr int kCalls = 20'000;

// An iteration that the compiler must keep.
inline void nothing(std::int64_t i) { opaque(i); }

// `loop(n, body)` calls body(begin, end) on parts of [0, n). The iterations are counted once,
// outside the measured time.
template <std::int64_t kIterations, class Loop>
double call_ns(Loop&& loop) {
  std::atomic<std::int64_t> iterations{0};
  loop(kIterations,
       [&](std::int64_t begin, std::int64_t end) { iterations.fetch_add(end - begin); });
  expect_equal(kIterations, iterations.load());

  const auto call_often = [&] {
    for (int call = 0; call < kCalls; ++call) {
      loop(kIterations, [](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) nothing(i);
      });
    }
  };
  call_often();
  const Stopwatch stopwatch;
  call_often();
  return stopwatch.elapsed_ns() / kCalls;
}

template <std::int64_t kIterations>
Figures serial(const Conditions&);
template <std::int64_t kIterations>
Figures on_jobs(const Conditions&);
template <std::int64_t kIterations>
Figures on_tbb(const Conditions&);

}  // namespace bench::for_empty
