// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// nqueens by jobs::fork_join(): the first safe column in parallel with all later ones.
#include "bench/nqueens/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::nqueens {
namespace {

std::int64_t solutions(const Board& board, int column = 0) {
  if (board.complete()) return 1;
  while (column < kQueens && !board.safe(column)) ++column;
  if (column == kQueens) return 0;
  const auto [here, later] =
      jobs::fork_join([next = board.with(column)] { return solutions(next); },
                      [&board, column] { return solutions(board, column + 1); });
  return here + later;
}

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{checked_ns(kExpected, [] { return solutions(Board{}); }) / kPlacements};
  });
}

}  // namespace bench::nqueens
