// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The edges of the graph, and the nodes without a runtime.
#include "bench/rebuilt/workload.hpp"

#include <algorithm>
#include <random>

namespace bench::rebuilt {

const Edges& edges() {
  static const Edges all = [] {
    constexpr std::size_t kReach = 20;
    Edges result;
    // The numbers are the same on every machine.
    std::mt19937 random(42);
    for (std::size_t i = 1; i < kNodes; ++i) {
      const std::size_t count = 1 + random() % 3;
      for (std::size_t k = 0; k < count; ++k)
        result.emplace_back(i - 1 - random() % std::min(i, kReach), i);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }();
  return all;
}

Figures serial(const Conditions&) {
  return {graph_ns([](Visits& visits) {
    for (int& count : visits) count = opaque(count + 1);
  })};
}

}  // namespace bench::rebuilt
