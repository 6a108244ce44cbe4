// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce by tbb::parallel_reduce() with its default partitioner. Its result for floating-point
// numbers differs from run to run.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>

#include "bench/reduce/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::reduce {

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{pass_ns([](const double* x) {
      using Range = tbb::blocked_range<std::int64_t>;
      return tbb::parallel_reduce(
          Range(0, kSize), 0.0,
          [x](const Range& range, double sum) {
            for (std::int64_t i = range.begin(); i < range.end(); ++i) sum += x[i];
            return sum;
          },
          std::plus<>{});
    })};
  });
}

}  // namespace bench::reduce
