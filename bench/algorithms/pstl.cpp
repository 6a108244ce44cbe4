// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Algorithms of the standard library with std::execution::par on jobs (jobs/interop/pstl.hpp).
//
// std.cpp has the same algorithms on oneTBB, in the same program. Each call therefore has a
// function of this file alone, a lambda: the linker would keep one of two instances with the same
// name.
//
// libstdc++ 12 calls functions that it deprecates; clang warns.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "jobs/interop/pstl.hpp"

#include <algorithm>
#include <execution>
#include <numeric>

#include "bench/algorithms/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::algorithms {
namespace {

using std::execution::par;

void apply(SortInt& w) {
  std::sort(par, w.values.begin(), w.values.end(),
            [](std::uint32_t a, std::uint32_t b) { return a < b; });
}
void apply(StableSort& w) {
  std::stable_sort(par, w.values.begin(), w.values.end(),
                   [](const auto& a, const auto& b) { return StableSort::is_before(a, b); });
}
void apply(Reduce& w) {
  w.sum = std::reduce(par, w.in.begin(), w.in.end(), 0.0, [](double a, double b) { return a + b; });
}
void apply(Scan& w) {
  std::inclusive_scan(par, w.in.begin(), w.in.end(), w.out.begin(),
                      [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
void apply(Merge& w) {
  const auto middle = w.in.begin() + kMillion / 2;
  std::merge(par, w.in.begin(), middle, middle, w.in.end(), w.out.begin(),
             [](std::uint32_t a, std::uint32_t b) { return a < b; });
}
void apply(Transform& w) {
  std::transform(par, w.in.begin(), w.in.end(), w.out.begin(),
                 [](std::uint32_t x) { return half_of(x); });
}

}  // namespace

template <class Workload>
Figures on_pstl(const Conditions& conditions) {
  return inside_jobs(conditions,
                     [] { return Figures{call_ns<Workload>([](Workload& w) { apply(w); })}; });
}
template Figures on_pstl<SortInt>(const Conditions&);
template Figures on_pstl<StableSort>(const Conditions&);
template Figures on_pstl<Reduce>(const Conditions&);
template Figures on_pstl<Scan>(const Conditions&);
template Figures on_pstl<Merge>(const Conditions&);
template Figures on_pstl<Transform>(const Conditions&);

}  // namespace bench::algorithms
