// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline: tokens through three stages of 1 us each, the middle one parallel, the others in order. Two workers need at least half
// of the serial time; what they need beyond that is the overhead. The row's unit: ns of overhead per token.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::pipeline {

inline constexpr std::int64_t kTokens = 10'000;
inline constexpr std::size_t kMaxTokens = 8;  // under way

// About 1 us of computing. No clock: what takes longer because another thread takes the CPU away is to take longer.
std::uint64_t work(std::uint64_t seed);

// The last stage's sum over all tokens, which depends on their order.
class Sum {
 public:
  void add(std::uint64_t value) { sum_ = sum_ * 31 + value; }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};
std::uint64_t expected();

// The overhead of a run that took `ns`, given what the stages alone take with so many workers.
double overhead_ns(double ns, unsigned workers);

Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::pipeline
