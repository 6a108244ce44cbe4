// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline by tbb::parallel_pipeline().
#include <oneapi/tbb/parallel_pipeline.h>

#include "bench/pipeline/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::pipeline {
namespace {

std::uint64_t run_all() {
  Sum sum;
  std::int64_t i = 0;
  tbb::parallel_pipeline(
      kMaxTokens,
      tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order,
                                            [&i](tbb::flow_control& control) -> std::uint64_t {
                                              if (i == kTokens) {
                                                control.stop();
                                                return 0;
                                              }
                                              return work(static_cast<std::uint64_t>(i++));
                                            }) &
          tbb::make_filter<std::uint64_t, std::uint64_t>(
              tbb::filter_mode::parallel, [](std::uint64_t value) { return work(value); }) &
          tbb::make_filter<std::uint64_t, void>(
              tbb::filter_mode::serial_in_order,
              [&sum](std::uint64_t value) { sum.add(work(value)); }));
  return sum.value();
}

double run_ns(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] { return checked_ns(expected(), run_all); });
}

}  // namespace

Figures on_tbb(const Conditions& conditions) {
  return {overhead_ns(run_ns(conditions), conditions.workers)};
}
Figures token_on_tbb(const Conditions& conditions) {
  return {run_ns(conditions) / static_cast<double>(kTokens)};
}

}  // namespace bench::pipeline
