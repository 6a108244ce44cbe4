// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The serial algorithms of the standard library.
//
// libstdc++ 12 calls functions that it deprecates; clang warns.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <algorithm>
#include <functional>
#include <numeric>

#include "bench/algorithms/workload.hpp"

namespace bench::algorithms {
namespace {

void apply(SortInt& w) { std::sort(w.values.begin(), w.values.end()); }
void apply(SortString& w) { std::sort(w.values.begin(), w.values.end()); }
void apply(StableSort& w) {
  std::stable_sort(w.values.begin(), w.values.end(), StableSort::is_before);
}
void apply(Reduce& w) { w.sum = std::reduce(w.in.begin(), w.in.end(), 0.0); }
void apply(TransformReduce& w) {
  w.sum = std::transform_reduce(w.in.begin(), w.in.end(), 0.0, std::plus<>(),
                                [](double x) { return x * 0.5; }) *
          2;
}
void apply(Scan& w) { std::inclusive_scan(w.in.begin(), w.in.end(), w.out.begin()); }
void apply(ExclusiveScan& w) { std::exclusive_scan(w.in.begin(), w.in.end(), w.out.begin(), 0u); }
void apply(CopyIf& w) {
  const auto end = std::copy_if(w.in.begin(), w.in.end(), w.out.begin(), is_chosen);
  w.copied = static_cast<std::size_t>(end - w.out.begin());
}
void apply(Merge& w) {
  const auto middle = w.in.begin() + kMillion / 2;
  std::merge(w.in.begin(), middle, middle, w.in.end(), w.out.begin());
}
void apply(Transform& w) { std::transform(w.in.begin(), w.in.end(), w.out.begin(), half_of); }
void apply(Unique& w) {
  w.result =
      static_cast<std::size_t>(std::unique(w.values.begin(), w.values.end()) - w.values.begin());
}
void apply(RemoveIf& w) {
  w.result = static_cast<std::size_t>(std::remove_if(w.values.begin(), w.values.end(), is_chosen) -
                                      w.values.begin());
}
void apply(Partition& w) {
  w.result = static_cast<std::size_t>(std::partition(w.values.begin(), w.values.end(), is_chosen) -
                                      w.values.begin());
}
void apply(NthElement& w) {
  std::nth_element(w.values.begin(), w.values.begin() + NthElement::kNth, w.values.end());
}
void apply(ForEachN& w) {
  std::for_each_n(w.values.begin(), kMillion, [](std::uint32_t& x) { ++x; });
}
void apply(FindIf& w) {
  w.result = static_cast<std::size_t>(std::find(w.values.begin(), w.values.end(), FindIf::kSought) -
                                      w.values.begin());
}
void apply(MinMax& w) {
  const auto [low, high] = std::minmax_element(w.values.begin(), w.values.end());
  w.result = static_cast<std::size_t>((low - w.values.begin()) + (high - w.values.begin()));
}

}  // namespace

template <class Workload>
Figures serial(const Conditions&) {
  return {call_ns<Workload>([](Workload& w) { apply(w); })};
}
#define BENCH_INSTANTIATE(Workload) template Figures serial<Workload>(const Conditions&);
BENCH_FOR_EACH_ALGORITHM(BENCH_INSTANTIATE)

}  // namespace bench::algorithms
