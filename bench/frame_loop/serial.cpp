// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops at a rhythm without a runtime.
#include "bench/frame_loop/workload.hpp"

namespace bench::frame_loop {

template <class Rhythm>
Figures serial(const Conditions&) {
  return figures_of<Rhythm>([](std::size_t n, const auto& body) {
    for (std::size_t i = 0; i < n; ++i) body(i);
  });
}
template Figures serial<Short>(const Conditions&);
template Figures serial<Small>(const Conditions&);
template Figures serial<SixtyHertz>(const Conditions&);

}  // namespace bench::frame_loop
