// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One class per algorithm, all of one shape. reset() restores the input, apply() of each side runs
// its algorithm on it, and check() compares with the result of the standard library's serial
// algorithm. kOperations elements; unit: ns per call.
//
// The sorts, the scan and the reduction have their own sizes (10^7 numbers, 10^6 strings). The
// other rows process a million numbers, which fit into a shared cache: the rows compare the
// algorithms, not the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::algorithms {

inline constexpr std::size_t kMillion = 1'000'000;
inline constexpr std::size_t kTenMillion = 10'000'000;

// Values that a predicate below divides in halves and that repeat in short runs.
std::uint32_t number_at(std::size_t i);
// Objects instead of functions: where a thief runs it, any runtime calls a function through its
// address, element by element. In serial code the compiler inlines it.
inline constexpr auto is_chosen = [](std::uint32_t x) { return (x & 4u) != 0; };
inline constexpr auto half_of = [](std::uint32_t x) { return 0.5 * x; };

// 32-bit numbers in random order.
struct SortInt {
  static constexpr int kPasses = 1;
  std::vector<std::uint32_t> values;
  void reset();
  void check() const;
};
// Strings of 8 to 24 letters.
struct SortString {
  static constexpr int kPasses = 1;
  std::vector<std::string> values;
  void reset();
  void check() const;
};
// Numbers and their original positions, sorted by the numbers.
struct StableSort {
  static constexpr int kPasses = 1;
  using Item = std::pair<std::uint32_t, std::uint32_t>;
  static bool is_before(const Item& a, const Item& b) { return a.first < b.first; }
  std::vector<Item> values;
  void reset();
  void check() const;
};
// A sum of doubles, all small integers, so that each order of additions gives the same bits.
template <std::size_t kSize>
struct SumOf {
  static constexpr int kPasses = 8;
  std::vector<double> in;
  double sum = 0;
  void reset();
  void check() const;
};
struct Reduce : SumOf<kTenMillion> {};
struct TransformReduce : SumOf<kMillion> {};
// An algorithm from `in` to `out`.
template <std::size_t kSize>
struct Map {
  static constexpr int kPasses = 8;
  std::vector<std::uint32_t> in;
  std::vector<std::uint32_t> out;
  void reset();
};
struct Scan : Map<kTenMillion> {
  void check() const;
};
struct ExclusiveScan : Map<kMillion> {
  void check() const;
};
struct CopyIf : Map<kMillion> {
  std::size_t copied = 0;
  void check() const;
};
struct Merge : Map<kMillion> {  // the halves of `in`
  void reset();
  void check() const;
};
struct Transform {
  static constexpr int kPasses = 8;
  std::vector<std::uint32_t> in;
  std::vector<double> out;
  void reset();
  void check() const;
};
// An algorithm in place.
struct InPlace {
  static constexpr int kPasses = 4;
  std::vector<std::uint32_t> values;
  std::size_t result = 0;
  void reset();
};
struct Unique : InPlace {
  void check() const;
};
struct RemoveIf : InPlace {
  void check() const;
};
struct Partition : InPlace {
  void check() const;
};
struct NthElement : InPlace {
  static constexpr std::size_t kNth = kMillion / 3;
  void check() const;
};
struct ForEachN : InPlace {  // adds 1
  void check() const;
};
struct FindIf : InPlace {  // the only match is at 9/10
  static constexpr std::uint32_t kSought = 0xffffffffu;
  void reset();
  void check() const;
};
struct MinMax : InPlace {  // position of the smallest + position of the largest
  void check() const;
};

// The only instance: all sides work on the same memory.
template <class Workload>
Workload& shared() {
  static Workload workload;
  return workload;
}

// Returns the time of a call. A call of about 100 ms needs no warm-up.
template <class Workload, class Apply>
double call_ns(Apply&& apply) {
  Workload& workload = shared<Workload>();
  double ns = 0;
  for (int pass = Workload::kPasses > 1 ? -1 : 0; pass < Workload::kPasses; ++pass) {
    workload.reset();
    const Stopwatch stopwatch;
    apply(workload);
    if (pass >= 0) ns += stopwatch.elapsed_ns();
    workload.check();
  }
  return ns / Workload::kPasses;
}

template <class Workload>
Figures serial(const Conditions&);
template <class Workload>
Figures on_jobs(const Conditions&);
template <class Workload>
Figures on_tbb(const Conditions&);  // SortInt, SortString, Scan
template <class Workload>
Figures on_std(const Conditions&);  // std::execution::par
// std::execution::par with jobs/interop/pstl.hpp: SortInt, StableSort, Reduce, Scan, Merge,
// Transform
template <class Workload>
Figures on_pstl(const Conditions&);

// template <X> Figures f<X>(...) for all workloads.
#define BENCH_FOR_EACH_ALGORITHM(f)                                                                \
  f(SortInt) f(SortString) f(StableSort) f(Reduce) f(TransformReduce) f(Scan) f(ExclusiveScan)     \
      f(CopyIf) f(Merge) f(Transform) f(Unique) f(RemoveIf) f(Partition) f(NthElement) f(ForEachN) \
          f(FindIf) f(MinMax)

}  // namespace bench::algorithms
