// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Side: a contender with the name of its runtime and its number of threads; one column of a
// comparison.
#pragma once

#include <string_view>

#include "bench/support/contender.hpp"

namespace bench {

struct Side {
  std::string_view runtime;
  // Null: the comparison has no such side.
  Contender measure;
  unsigned workers;
  Form form = Form::kBound;

  // jobs itself, in another form or with another number of workers.
  bool is_jobs() const { return runtime == "jobs@1" || runtime == "bound"; }
};

// Waits until the process is quiet, then measures once. Throws WrongResult with the names of
// workload and runtime and the number of workers.
Figures measure(std::string_view workload, const Side& side, bool quick);

}  // namespace bench
