// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline by jobs::pipeline().
#include <optional>

#include "bench/pipeline/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::pipeline {
namespace {

std::uint64_t run_all() {
  Sum sum;
  jobs::pipeline(
      kMaxTokens,
      [i = std::int64_t{0}]() mutable -> std::optional<std::uint64_t> {
        if (i == kTokens) return std::nullopt;
        return work(static_cast<std::uint64_t>(i++));
      },
      jobs::parallel([](std::uint64_t value) { return work(value); }),
      jobs::in_order([&](std::uint64_t value) { sum.add(work(value)); }));
  return sum.value();
}

double run_ns(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return checked_ns(expected(), run_all); });
}

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  return {overhead_ns(run_ns(conditions), conditions.workers)};
}
Figures token_on_jobs(const Conditions& conditions) {
  return {run_ns(conditions) / static_cast<double>(kTokens)};
}

}  // namespace bench::pipeline
