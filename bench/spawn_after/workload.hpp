// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn_after: a square grid of jobs that only count themselves, each after its upper and its left
// neighbour. The measuring thread spawns all jobs, once per grid, and waits for the last one. Unit:
// ns per job.
//
// Sides: spawn_after() with handles; a job per node that waits for the events of its neighbours; a
// tbb::flow::graph that is built, run and destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::spawn_after {

inline constexpr std::size_t kSide = 250;
inline constexpr std::size_t kNodes = kSide * kSide;
inline constexpr int kGrids = 4;
inline constexpr std::int64_t kOperations = std::int64_t{kNodes} * kGrids;

// The number of runs of each node. Not atomic: no two runs of a node overlap.
using Visits = std::vector<int>;

// `run(visits)` runs one grid, whose node i increments visits[i].
template <class Run>
double node_ns(Run&& run) {
  Visits visits(kNodes);
  run(visits);
  const Stopwatch stopwatch;
  for (int i = 0; i < kGrids; ++i) run(visits);
  const double ns = stopwatch.elapsed_ns();
  for (const int count : visits) expect_equal(kGrids + 1, count);
  return ns / static_cast<double>(kOperations);
}

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures by_events(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::spawn_after
