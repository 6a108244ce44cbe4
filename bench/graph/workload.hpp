// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph: a static graph of nodes that only count themselves, built once and run repeatedly. It
// measures the overhead of the runtime per node and its edges. Unit: ns per node.
//
//   chain      each node before the next one
//   fan        one first node, many nodes after it, and a last node after all of these
//   wavefront  a square grid, each node after its upper and its left neighbour
//   random     each node after up to three of the 2000 preceding ones
//
// graph_once: the same graphs, each built, run once and discarded, as a program does that builds a
// graph in every frame. Unit: ns per node.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/support/contender.hpp"

namespace bench::graph {

enum class Shape : std::uint8_t { kChain, kFan, kWavefront, kRandom };

inline constexpr int kSide = 300;  // of the wavefront
inline constexpr int kNodes = kSide * kSide;
inline constexpr int kRuns = 5;
inline constexpr std::int64_t kOperations = std::int64_t{kNodes} * kRuns;

using Edges = std::vector<std::pair<int, int>>;

// The edges of a graph, all from lower to higher numbers, without duplicates. The first node comes
// before all other nodes.
Edges edges(Shape shape);

// The number of runs of each node, on a shared cache line as in ordinary programs. Not atomic: no
// two runs of a node overlap.
class Visits {
 public:
  Visits() : counts_(kNodes) {}
  void visit(int node) { ++counts_[static_cast<std::size_t>(node)]; }
  // Returns the sum of all visits if all nodes have the same number, otherwise -1.
  std::int64_t total() const {
    for (const int count : counts_) {
      if (count != counts_[0]) return -1;
    }
    return std::int64_t{counts_[0]} * kNodes;
  }

 private:
  std::vector<int> counts_;
};

// The nodes in the order of their numbers.
template <Shape kShape>
Figures serial(const Conditions&);
template <Shape kShape>
Figures on_jobs(const Conditions&);
template <Shape kShape>
Figures on_tbb(const Conditions&);
template <Shape kShape>
Figures once_on_jobs(const Conditions&);
template <Shape kShape>
Figures once_on_tbb(const Conditions&);

}  // namespace bench::graph
