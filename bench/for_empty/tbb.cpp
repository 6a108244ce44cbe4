// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The empty loop by tbb::parallel_for() with its default partitioner.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "bench/for_empty/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::for_empty {

template <std::int64_t kIterations>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{call_ns<kIterations>([](std::int64_t n, const auto& body) {
      using Range = tbb::blocked_range<std::int64_t>;
      tbb::parallel_for(Range(0, opaque(n)),
                        [&body](const Range& range) { body(range.begin(), range.end()); });
    })};
  });
}
template Figures on_tbb<2>(const Conditions&);
template Figures on_tbb<64>(const Conditions&);
template Figures on_tbb<1000>(const Conditions&);

}  // namespace bench::for_empty
