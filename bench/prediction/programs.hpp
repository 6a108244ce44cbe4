// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of bench_prediction: loops and the sort of other rows, an uneven tree of forks, and
// a program whose first half is serial. Each computes for 5 to 500 ms on one worker.
#pragma once

#include <span>
#include <string_view>

namespace bench::prediction {

struct Program {
  std::string_view name;
  std::string_view limit;  // what keeps the speed-up below the number of workers
  void (*prepare)();       // before each run
  void (*work)();          // the measured part; called within a job
  void (*check)();         // after each run; throws WrongResult
  // False: work and span do not contain the limit, so the prediction is too high.
  bool is_predictable = true;
};

std::span<const Program> programs();

}  // namespace bench::prediction
