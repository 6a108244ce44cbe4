// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock of the measurements, and a barrier against the optimiser.
#pragma once

#include <chrono>

#include "bench/support/contender.hpp"

namespace bench {

class Stopwatch {
 public:
  double elapsed_ns() const {
    return std::chrono::duration<double, std::nano>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start_ = Clock::now();
};

// Returns `value`, about which the compiler then has no information.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Runs `work` to warm up, then once more, and returns the time of the second run. Both results must
// be `expected`.
template <class T, class F>
double checked_ns(const T& expected, F&& work) {
  expect_equal<T>(expected, work());
  const Stopwatch stopwatch;
  const T result = work();
  const double ns = stopwatch.elapsed_ns();
  expect_equal<T>(expected, result);
  return ns;
}

// Computes for this duration without releasing the processor.
inline void spin_for(std::chrono::nanoseconds duration) {
  const Stopwatch stopwatch;
  while (stopwatch.elapsed_ns() < static_cast<double>(duration.count())) {
  }
}

}  // namespace bench
