// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline: tokens through three stages of 1 us each, the middle one parallel, the other ones in
// order. Two workers need at least half of the serial time; the rest is overhead. Unit: ns of
// overhead per token. pipeline_token: the whole time instead. Unit: ns per token.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::pipeline {

inline constexpr std::int64_t kTokens = 10'000;
// The number of tokens in the pipeline at a time.
inline constexpr std::size_t kMaxTokens = 8;

// Computes for about 1 us. Without a clock: the work takes longer if another thread takes the CPU
// away, and the measurement shows it.
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

// Returns the overhead of a run of `ns`, relative to the time of the stages alone with this number
// of workers.
double overhead_ns(double ns, unsigned workers);

Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);
Figures token_on_jobs(const Conditions&);
Figures token_on_tbb(const Conditions&);

}  // namespace bench::pipeline
