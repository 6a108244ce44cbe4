// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs both sides of a comparison round after round, and reduces the rounds to rows.
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
  // Not a number if the workload has no serial form.
  double serial;
  // The median of peer / jobs per round; not finite if the figure of jobs is 0.
  double ratio;
  Interval interval;
  int rounds;  // the counted rounds
  // Dropped rounds; or, if `noisy`, the disturbed ones among the counted rounds.
  int disturbed;
  // Too few rounds were undisturbed, so all of them count.
  bool noisy;
};

// The number of rounds. More rounds make an interval narrower. Short workloads are therefore
// repeated more often, and rows that must show a tie even more often.
struct Effort {
  int rounds;  // at least
  int max_rounds;
  // The serial figure is for the reader: no gate depends on it.
  int serial_rounds;
  // Further rounds beyond `rounds` run until this time is over.
  std::chrono::milliseconds time;
  bool quick;
};

// Returns one row per RowSpec. Throws WrongResult with the names of workload and runtime and the
// number of workers.
std::vector<Row> run_rounds(const Comparison& comparison, const Effort& effort);

}  // namespace bench
