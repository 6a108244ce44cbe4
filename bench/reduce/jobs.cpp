// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce by jobs::parallel_reduce().
#include <functional>

#include "bench/reduce/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::reduce {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{pass_ns([](const double* x) {
      return jobs::parallel_reduce(std::int64_t{0}, kSize, 0.0, std::plus<>{},
                                   [x](std::int64_t i) { return x[i]; });
    })};
  });
}

}  // namespace bench::reduce
