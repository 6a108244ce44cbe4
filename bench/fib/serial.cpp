// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fib without a runtime; the compiler inlines several levels of the recursion.
#include "bench/fib/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

}  // namespace

Figures serial(const Conditions&) {
  return {checked_ns(kExpected, [] { return fib(opaque(kInput)); }) / kCalls};
}

}  // namespace bench::fib
