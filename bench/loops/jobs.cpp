// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops by jobs::parallel_for() with its automatic grain.
#include "bench/loops/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::loops {

template <class Loop>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{pass_ns<Loop>([](Loop& loop) {
      jobs::parallel_for(std::int64_t{0}, Loop::kIterations,
                         [&loop](std::int64_t begin, std::int64_t end) { loop.run(begin, end); });
    })};
  });
}
template Figures on_jobs<Light>(const Conditions&);
template Figures on_jobs<OneMicrosecond>(const Conditions&);
template Figures on_jobs<Triangular>(const Conditions&);
template Figures on_jobs<HeavyTailed>(const Conditions&);
template Figures on_jobs<Mandelbrot>(const Conditions&);

}  // namespace bench::loops
