// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph without a runtime: functions called through a pointer, in an order that satisfies the
// edges.
#include <functional>

#include "bench/graph/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::graph {

template <Shape kShape>
Figures serial(const Conditions&) {
  Visits visits;
  std::vector<std::function<void()>> nodes;
  for (int i = 0; i < kNodes; ++i) nodes.emplace_back([&visits, i] { visits.visit(i); });
  const auto run_all = [&] {
    const std::int64_t before = visits.total();
    for (int i = 0; i < kRuns; ++i) {
      for (const auto& node : nodes) node();
    }
    return visits.total() - before;
  };
  return Figures{checked_ns(kOperations, run_all) / static_cast<double>(kOperations)};
}

template Figures serial<Shape::kChain>(const Conditions&);
template Figures serial<Shape::kFan>(const Conditions&);
template Figures serial<Shape::kWavefront>(const Conditions&);
template Figures serial<Shape::kRandom>(const Conditions&);

}  // namespace bench::graph
