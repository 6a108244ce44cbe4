// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fib by jobs::fork_join(), without and with a context. The test for a leaf comes first, so that
// leaves need no stack frame.
#include "bench/fib/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::fib {
namespace {

std::int64_t fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = jobs::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

std::int64_t fib_with(jobs::ForkContext context, int n) {
  if (n < 2) return n;
  const auto [a, b] = jobs::fork_join(
      context, [n](jobs::ForkContext here) { return fib_with(here, n - 1); },
      [n](jobs::ForkContext here) { return fib_with(here, n - 2); });
  return a + b;
}

}  // namespace

Figures on_jobs_with_context(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return jobs::with_fork_context([](jobs::ForkContext context) {
      return Figures{
          checked_ns(kExpected, [context] { return fib_with(context, opaque(kInput)); }) / kCalls};
    });
  });
}

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{checked_ns(kExpected, [] { return fib(opaque(kInput)); }) / kCalls};
  });
}

}  // namespace bench::fib
