// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The algorithms of oneTBB, each with its default partitioner.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <functional>

#include "bench/algorithms/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::algorithms {
namespace {

void apply(SortInt& w) { tbb::parallel_sort(w.values.begin(), w.values.end()); }
void apply(SortString& w) { tbb::parallel_sort(w.values.begin(), w.values.end()); }
void apply(Scan& w) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, w.in.size()), 0u,
      [&w](const tbb::blocked_range<std::size_t>& range, std::uint32_t sum, bool is_final) {
        const std::uint32_t* const in = w.in.data();
        std::uint32_t* const out = w.out.data();
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum += in[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace

template <class Workload>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers,
                    [] { return Figures{call_ns<Workload>([](Workload& w) { apply(w); })}; });
}
template Figures on_tbb<SortInt>(const Conditions&);
template Figures on_tbb<SortString>(const Conditions&);
template Figures on_tbb<Scan>(const Conditions&);

}  // namespace bench::algorithms
