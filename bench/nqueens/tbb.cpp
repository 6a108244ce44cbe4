// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// nqueens by tbb::task_group: one group per board, one task per safe column.
#include <oneapi/tbb/task_group.h>

#include <numeric>

#include "bench/nqueens/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::nqueens {
namespace {

std::int64_t solutions(const Board& board) {
  if (board.complete()) return 1;
  std::array<std::int64_t, kQueens> below{};
  tbb::task_group group;
  for (int column = 0; column < kQueens; ++column) {
    if (!board.safe(column)) continue;
    group.run([next = board.with(column), &sum = below[static_cast<std::size_t>(column)]] {
      sum = solutions(next);
    });
  }
  group.wait();
  return std::accumulate(below.begin(), below.end(), std::int64_t{0});
}

}  // namespace

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{checked_ns(kExpected, [] { return solutions(Board{}); }) / kPlacements};
  });
}

}  // namespace bench::nqueens
