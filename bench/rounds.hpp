// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs both sides of a comparison round after round and boils the rounds down to rows.
#pragma once

#include <chrono>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

struct Row {
  const Comparison* comparison;
  const RowSpec* spec;
  double jobs;  // medians over the rounds
  double peer;
  double serial;  // not a number if the workload has no serial form
  double ratio;   // median of peer / jobs, round by round; not finite if our figure is 0
  Interval interval;
  int rounds;     // those that count
  int disturbed;  // those that had to be dropped; or, if `noisy`, those among the ones that count
  bool noisy;     // too few rounds were undisturbed, so all of them count
};

// How many rounds. An interval is as narrow as they are many, so what is short is repeated more often, and more often still what
// has to show a tie.
struct Effort {
  int rounds;  // at least
  int max_rounds;
  int serial_rounds;               // what it takes without a runtime is for the reader: no gate depends on it
  std::chrono::milliseconds time;  // beyond `rounds`, as long as this is not over
  bool quick;
};

// One row for each RowSpec. Throws WrongResult, naming workload, runtime and workers.
std::vector<Row> run_rounds(const Comparison& comparison, const Effort& effort);

}  // namespace bench
