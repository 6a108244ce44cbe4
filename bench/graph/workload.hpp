// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph: a static graph of nodes that only count themselves, built once and run again and again. What is measured is what the
// runtime adds to a node and to its edges. Unit: ns per node.
//
//   chain      each node before the next
//   fan        one before all others, all of these before a last one
//   wavefront  a square grid, each node after its upper and its left neighbour
//   random     each node after up to three of the 2000 before it
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

// All from lower to higher numbers; the first node comes before all others. Its duplicates are removed.
Edges edges(Shape shape);

// How often each node ran, on a line with others as in any program. No atomic: a node never runs beside itself.
class Visits {
 public:
  Visits() : counts_(kNodes) {}
  void visit(int node) { ++counts_[static_cast<std::size_t>(node)]; }
  // Visits in total if all nodes have the same number, else -1.
  std::int64_t total() const {
    for (const int count : counts_) {
      if (count != counts_[0]) return -1;
    }
    return std::int64_t{counts_[0]} * kNodes;
  }

 private:
  std::vector<int> counts_;
};

// In the order of their numbers.
template <Shape kShape>
Figures serial(const Conditions&);
template <Shape kShape>
Figures on_jobs(const Conditions&);
template <Shape kShape>
Figures on_tbb(const Conditions&);

}  // namespace bench::graph
