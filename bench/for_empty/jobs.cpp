// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The empty loop by jobs::parallel_for() with its automatic grain.
#include "bench/for_empty/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::for_empty {

template <std::int64_t kIterations>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{call_ns<kIterations>([](std::int64_t n, const auto& body) {
      jobs::parallel_for(std::int64_t{0}, opaque(n), body);
    })};
  });
}
template Figures on_jobs<2>(const Conditions&);
template Figures on_jobs<64>(const Conditions&);
template Figures on_jobs<1000>(const Conditions&);

}  // namespace bench::for_empty
