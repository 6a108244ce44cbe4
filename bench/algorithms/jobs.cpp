// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The algorithms of jobs.
#include <functional>
#include <span>

#include "bench/algorithms/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::algorithms {
namespace {

void apply(SortInt& w) { jobs::parallel_sort(w.values); }
void apply(SortString& w) { jobs::parallel_sort(w.values); }
void apply(StableSort& w) { jobs::parallel_stable_sort(w.values, StableSort::is_before); }
void apply(Reduce& w) { w.sum = jobs::parallel_reduce(w.in, 0.0); }
void apply(TransformReduce& w) {
  w.sum =
      jobs::parallel_transform_reduce(w.in, 0.0, std::plus<>(), [](double x) { return x * 0.5; }) *
      2;
}
void apply(Scan& w) { jobs::parallel_inclusive_scan(w.in, w.out.begin()); }
void apply(ExclusiveScan& w) { jobs::parallel_exclusive_scan(w.in, w.out.begin(), 0u); }
void apply(CopyIf& w) {
  w.copied = static_cast<std::size_t>(jobs::parallel_copy_if(w.in, w.out.begin(), is_chosen) -
                                      w.out.begin());
}
void apply(Merge& w) {
  const std::span in(w.in);
  jobs::parallel_merge(in.first(kMillion / 2), in.last(kMillion / 2), w.out.begin());
}
void apply(Transform& w) { jobs::parallel_transform(w.in, w.out.begin(), half_of); }
void apply(Unique& w) {
  w.result = static_cast<std::size_t>(jobs::parallel_unique(w.values) - w.values.begin());
}
void apply(RemoveIf& w) {
  w.result =
      static_cast<std::size_t>(jobs::parallel_remove_if(w.values, is_chosen) - w.values.begin());
}
void apply(Partition& w) {
  w.result =
      static_cast<std::size_t>(jobs::parallel_partition(w.values, is_chosen) - w.values.begin());
}
void apply(NthElement& w) {
  jobs::parallel_nth_element(w.values, w.values.begin() + NthElement::kNth);
}
void apply(ForEachN& w) {
  jobs::parallel_for_each_n(w.values.begin(), static_cast<std::ptrdiff_t>(kMillion),
                            [](std::uint32_t& x) { ++x; });
}
void apply(FindIf& w) {
  w.result =
      static_cast<std::size_t>(jobs::parallel_find(w.values, FindIf::kSought) - w.values.begin());
}
void apply(MinMax& w) {
  const auto [low, high] = jobs::parallel_minmax_element(w.values);
  w.result = static_cast<std::size_t>((low - w.values.begin()) + (high - w.values.begin()));
}

}  // namespace

template <class Workload>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions,
                     [] { return Figures{call_ns<Workload>([](Workload& w) { apply(w); })}; });
}
#define BENCH_INSTANTIATE(Workload) template Figures on_jobs<Workload>(const Conditions&);
BENCH_FOR_EACH_ALGORITHM(BENCH_INSTANTIATE)

}  // namespace bench::algorithms
