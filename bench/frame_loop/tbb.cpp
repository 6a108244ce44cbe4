// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops at a rhythm by tbb::parallel_for() with its default partitioner.
#include <oneapi/tbb/parallel_for.h>

#include "bench/frame_loop/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::frame_loop {

template <class Rhythm>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return figures_of<Rhythm>(
        [](std::size_t n, const auto& body) { tbb::parallel_for(std::size_t{0}, n, body); });
  });
}
template Figures on_tbb<Short>(const Conditions&);
template Figures on_tbb<Small>(const Conditions&);
template Figures on_tbb<SixtyHertz>(const Conditions&);

}  // namespace bench::frame_loop
