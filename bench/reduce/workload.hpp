// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: the sum of 10^7 doubles. They are small integers, so that every order of additions gives
// the same bits. Unit: ns per sum.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::reduce {

inline constexpr std::int64_t kSize = 10'000'000;
inline constexpr int kPasses = 8;
inline constexpr std::int64_t kInputs = 8;
inline constexpr double kExpected =
    static_cast<double>(kSize / kInputs * (kInputs * (kInputs - 1) / 2));

// The same memory for all sides.
inline const double* input() {
  static const std::vector<double> values = [] {
    std::vector<double> filled(kSize);
    for (std::int64_t i = 0; i < kSize; ++i)
      filled[static_cast<std::size_t>(i)] = static_cast<double>(i % kInputs);
    return filled;
  }();
  return values.data();
}

// `sum(x)` returns the side's sum of kSize values.
template <class Sum>
double pass_ns(Sum&& sum) {
  return checked_ns(kExpected * kPasses,
                    [&] {
                      double total = 0;
                      for (int pass = 0; pass < kPasses; ++pass) total += sum(opaque(input()));
                      return total;
                    }) /
         kPasses;
}

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::reduce
