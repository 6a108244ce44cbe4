// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// All comparisons with their gates: the one table to edit for a new workload.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gate.hpp"
#include "bench/side.hpp"

namespace bench {

// One row of the report: one of the figures of the contenders, in their order.
struct RowSpec {
  std::string workload;
  // "ns" for a time, printed in the scale that fits.
  std::string_view unit;
  Gate gate;

  bool is_time() const { return unit == "ns"; }
};

struct Comparison {
  std::vector<RowSpec> rows;
  std::int64_t operations;  // of one measurement
  Side jobs;
  Side peer;
  Contender serial;  // null: no serial form
  // false: --quick leaves the comparison out unless a filter selects it.
  bool is_quick = true;

  Side serial_side() const { return {"serial", serial, 1}; }
};

const std::vector<Comparison>& comparisons();
// Returns the comparisons for a larger machine: sides of two workers get this number instead.
std::vector<Comparison> comparisons_with(unsigned workers);

}  // namespace bench
