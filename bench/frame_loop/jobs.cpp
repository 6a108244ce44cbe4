// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops at a rhythm by jobs::parallel_for() with its automatic grain.
#include "bench/frame_loop/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::frame_loop {

template <class Rhythm>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return figures_of<Rhythm>(
        [](std::size_t n, const auto& body) { jobs::parallel_for(std::size_t{0}, n, body); });
  });
}
template Figures on_jobs<Short>(const Conditions&);
template Figures on_jobs<Small>(const Conditions&);
template Figures on_jobs<SixtyHertz>(const Conditions&);

}  // namespace bench::frame_loop
