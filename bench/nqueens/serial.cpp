// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// nqueens without a runtime.
#include "bench/nqueens/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::nqueens {
namespace {

std::int64_t solutions(const Board& board) {
  if (board.complete()) return 1;
  std::int64_t sum = 0;
  for (int column = 0; column < kQueens; ++column) {
    if (board.safe(column)) sum += solutions(board.with(column));
  }
  return sum;
}

}  // namespace

Figures serial(const Conditions&) {
  return {checked_ns(kExpected, [] { return solutions(Board{}); }) / kPlacements};
}

}  // namespace bench::nqueens
