// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fib by tbb::task_group, its cheapest fork and join; parallel_invoke costs the same.
#include <oneapi/tbb/task_group.h>

#include "bench/fib/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = fib(n - 1); });
  const std::int64_t b = fib(n - 2);
  group.wait();
  return a + b;
}

}  // namespace

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{checked_ns(kExpected, [] { return fib(opaque(kInput)); }) / kCalls};
  });
}

}  // namespace bench::fib
