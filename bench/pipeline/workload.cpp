// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The work of a stage and the overhead of a run.
#include "bench/pipeline/workload.hpp"

#include <algorithm>

#include "bench/support/stopwatch.hpp"

namespace bench::pipeline {
namespace {

std::uint64_t run_serially() {
  Sum sum;
  for (std::int64_t i = 0; i < kTokens; ++i) {
    sum.add(work(work(work(static_cast<std::uint64_t>(i)))));
  }
  return sum.value();
}

}  // namespace

[[gnu::noinline]] std::uint64_t work(std::uint64_t seed) {
  // A chain of multiplications of 4 to 5 cycles each.
  for (int i = 0; i < 700; ++i) seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed;
}

std::uint64_t expected() {
  static const std::uint64_t sum = run_serially();
  return sum;
}

double overhead_ns(double ns, unsigned workers) {
  // Measured with each run: the clock frequency of a virtual machine varies from second to second.
  const double serial = checked_ns(expected(), run_serially);
  return std::max(1.0, (ns - serial / workers) / static_cast<double>(kTokens));
}

}  // namespace bench::pipeline
