// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// nqueens: counts the ways to place n queens so that none attacks another; every safe placement is
// one job. Irregular: most branches end early. Unit: ns per placement.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "bench/support/contender.hpp"

namespace bench::nqueens {

inline constexpr int kQueens = 11;
inline constexpr std::int64_t kExpected = 2'680;
inline constexpr std::int64_t kPlacements = 166'925;

struct Board {
  std::array<std::int8_t, kQueens> column_of_row{};
  int rows = 0;

  bool complete() const { return rows == kQueens; }
  bool safe(int column) const {
    for (int row = 0; row < rows; ++row) {
      const int distance = column_of_row[static_cast<std::size_t>(row)] - column;
      if (distance == 0 || std::abs(distance) == rows - row) return false;
    }
    return true;
  }
  Board with(int column) const {
    Board next = *this;
    next.column_of_row[static_cast<std::size_t>(next.rows++)] = static_cast<std::int8_t>(column);
    return next;
  }
};

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::nqueens
