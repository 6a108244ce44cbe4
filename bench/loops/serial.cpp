// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops without a runtime: one call of run().
#include "bench/loops/workload.hpp"

namespace bench::loops {

template <class Loop>
Figures serial(const Conditions&) {
  return {pass_ns<Loop>([](Loop& loop) { loop.run(0, Loop::kIterations); })};
}
template Figures serial<Light>(const Conditions&);
template Figures serial<OneMicrosecond>(const Conditions&);
template Figures serial<Triangular>(const Conditions&);
template Figures serial<HeavyTailed>(const Conditions&);
template Figures serial<Mandelbrot>(const Conditions&);

}  // namespace bench::loops
