// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The edges of the graphs.
#include "bench/graph/workload.hpp"

#include <algorithm>
#include <random>

namespace bench::graph {

Edges edges(Shape shape) {
  Edges result;
  switch (shape) {
    case Shape::kChain:
      for (int i = 1; i < kNodes; ++i) result.emplace_back(i - 1, i);
      break;
    case Shape::kFan:
      for (int i = 1; i < kNodes - 1; ++i) {
        result.emplace_back(0, i);
        result.emplace_back(i, kNodes - 1);
      }
      break;
    case Shape::kWavefront:
      for (int i = 0; i < kNodes; ++i) {
        if (i % kSide != kSide - 1) result.emplace_back(i, i + 1);
        if (i / kSide != kSide - 1) result.emplace_back(i, i + kSide);
      }
      break;
    case Shape::kRandom: {
      constexpr int kReach = 2000;
      // The numbers are the same on every machine.
      std::mt19937 random(42);
      for (int i = 1; i < kNodes; ++i) {
        const int count = 1 + static_cast<int>(random() % 3);
        for (int k = 0; k < count; ++k) {
          result.emplace_back(
              i - 1 - static_cast<int>(random() % static_cast<unsigned>(std::min(i, kReach))), i);
        }
      }
      std::sort(result.begin(), result.end());
      result.erase(std::unique(result.begin(), result.end()), result.end());
      break;
    }
  }
  return result;
}

}  // namespace bench::graph
