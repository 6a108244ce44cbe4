// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops at a rhythm by OpenMP of g++, whose runtime is libgomp. The build compiles this file
// alone with -fopenmp, and only with g++.
#include "bench/frame_loop/workload.hpp"

namespace bench::frame_loop {
namespace {

template <class Rhythm>
Figures measure(const Conditions& conditions) {
  const int workers = static_cast<int>(conditions.workers);
  return figures_of<Rhythm>([workers](std::size_t n, const auto& body) {
#pragma omp parallel for num_threads(workers) schedule(static)
    for (std::size_t i = 0; i < n; ++i) body(i);
  });
}

}  // namespace

template <class Rhythm>
Contender on_libgomp() {
  return measure<Rhythm>;
}
template Contender on_libgomp<Short>();
template Contender on_libgomp<Small>();
template Contender on_libgomp<SixtyHertz>();

}  // namespace bench::frame_loop
