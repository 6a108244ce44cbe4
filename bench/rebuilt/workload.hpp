// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph_rebuilt: a graph of 200 nodes that only count themselves, built, run once and destroyed,
// repeatedly. Each node runs after up to three of the 20 preceding nodes. Unit: ns per graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::rebuilt {

inline constexpr int kNodes = 200;
inline constexpr int kGraphs = 300;

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
// The edges, all from lower to higher numbers, without duplicates.
const Edges& edges();

// The number of runs of each node. Not atomic: no two runs of a node overlap.
using Visits = std::vector<int>;

// `run(visits)` builds the graph, whose node i increments visits[i], runs and destroys it.
template <class Run>
double graph_ns(Run&& run) {
  Visits visits(kNodes);
  edges();
  const auto run_all = [&] {
    for (int i = 0; i < kGraphs; ++i) run(visits);
  };
  run_all();
  const Stopwatch stopwatch;
  run_all();
  const double ns = stopwatch.elapsed_ns();
  for (const int count : visits) expect_equal(2 * kGraphs, count);
  return ns / kGraphs;
}

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::rebuilt
