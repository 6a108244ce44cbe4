// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Side: a contender with the name of its runtime and its number of threads; one column of a comparison.
#pragma once

#include <string_view>

#include "bench/support/contender.hpp"

namespace bench {

struct Side {
  std::string_view runtime;
  Contender measure;  // null: the comparison has no such side
  unsigned workers;
};

// Waits until the process is quiet, then measures once. Throws WrongResult, which names workload, runtime and workers.
Figures measure(std::string_view workload, const Side& side, bool quick);

}  // namespace bench
