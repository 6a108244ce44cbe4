// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce without a runtime.
#include "bench/reduce/workload.hpp"

namespace bench::reduce {

Figures serial(const Conditions&) {
  return {pass_ns([](const double* x) {
    double sum = 0;
    for (std::int64_t i = 0; i < kSize; ++i) sum += x[i];
    return sum;
  })};
}

}  // namespace bench::reduce
