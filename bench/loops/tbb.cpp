// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops by tbb::parallel_for() with its default partitioner.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "bench/loops/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::loops {

template <class Loop>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{pass_ns<Loop>([](Loop& loop) {
      using Range = tbb::blocked_range<std::int64_t>;
      tbb::parallel_for(Range(0, Loop::kIterations),
                        [&loop](const Range& range) { loop.run(range.begin(), range.end()); });
    })};
  });
}
template Figures on_tbb<Light>(const Conditions&);
template Figures on_tbb<OneMicrosecond>(const Conditions&);
template Figures on_tbb<Triangular>(const Conditions&);
template Figures on_tbb<HeavyTailed>(const Conditions&);
template Figures on_tbb<Mandelbrot>(const Conditions&);

}  // namespace bench::loops
