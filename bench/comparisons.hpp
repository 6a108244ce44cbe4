// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// All comparisons that this benchmark makes, with their gates: the one table to edit when a workload comes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/gate.hpp"
#include "bench/side.hpp"

namespace bench {

// One row of the report: one of the figures that the contenders return, in their order.
struct RowSpec {
  std::string_view workload;
  std::string_view unit;  // "ns" for a time, shown in the scale that fits
  Gate gate;

  bool is_time() const { return unit == "ns"; }
};

struct Comparison {
  std::vector<RowSpec> rows;
  std::int64_t operations;  // of one measurement
  Side jobs;
  Side peer;
  Contender serial;  // null: there is no serial form of it

  Side serial_side() const { return {"serial", serial, 1}; }
};

const std::vector<Comparison>& comparisons();

}  // namespace bench
