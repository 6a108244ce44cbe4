// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_inclusive_scan, parallel_exclusive_scan: all prefix sums of a range, and the same of mapped elements.
//
//   jobs::parallel_inclusive_scan(sizes, ends.begin());
//   jobs::parallel_exclusive_scan(sizes, begins.begin(), 0);
//   jobs::parallel_transform_exclusive_scan(files, offsets.begin(), 0u, std::plus{}, [](const File& f) { return f.size; });
//
// Any thread may call them, as parallel_for. The result has the same bits for any number of workers.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

enum class ScanKind { kInclusive, kExclusive };

// A grid of blocks, the sum of each of which is added up from its first element on, and whose elements are added to the sum of
// all blocks before. Many workers: sums and then elements, for one window of blocks after the other, so that the second look at
// an element finds it in a cache. One worker: both at once, two chains of additions that the processor overlaps.
template <ScanKind kKind, class T, class In, class Out, class Op, class Map>
class Scan {
 public:
  Scan(In in, std::size_t n, Out out, Op& op, Map& map) : in_(in), n_(n), out_(out), op_(op), map_(map) {}

  // `sum`: of what goes before the range, if there is anything.
  void run(Lane& lane, std::optional<T> sum) {
    if (n_ < kAlone) {
      scan(0, n_, std::move(sum));
      return;
    }
    const Blocks blocks(n_, n_, std::clamp(n_ / 256, kLeastBlock, kMostBlock));
    if (!lane.has_thieves()) {
      for (std::size_t block = 0; block < blocks.count(); ++block) {
        sum = scan_and_add(blocks.begin(block), blocks.end(block), std::move(sum));
      }
    } else {
      for (std::size_t first = 0; first < blocks.count(); first += kWindow) {
        sum = window(lane, blocks, first, std::min(blocks.count() - first, kWindow), std::move(sum));
      }
    }
  }

 private:
  // Additions that can be grouped in any way without a difference.
  static constexpr bool kIsExact =
      std::is_integral_v<T> && (std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<T>>);
  static constexpr std::size_t kAlone = 1024;  // fewer elements are scanned from first to last
  static constexpr std::size_t kLeastBlock = 256;
  static constexpr std::size_t kMostBlock = 65536;
  static constexpr std::size_t kWindow = sizeof(T) <= 64 ? 64 : 16;  // their sums are on the stack

  // Scans the blocks [first, first + count); returns the sum up to their end.
  std::optional<T> window(Lane& lane, const Blocks& blocks, std::size_t first, std::size_t count,
                          std::optional<T> sum) {
    std::array<std::optional<T>, kWindow> before;  // of each block: first its own sum, then that of all before it
    std::optional<T> end;
    for_each_index(lane, count, [&](std::size_t i) {
      const std::size_t begin = blocks.begin(first + i);
      if (i == 0) {
        end = scan_and_add(begin, blocks.end(first), sum);  // nothing to wait for
      } else {
        before[i] = add_up(begin, blocks.end(first + i));
      }
    });
    for (std::size_t i = 1; i < count; ++i) {
      std::optional<T> next = op_(*end, std::move(*before[i]));
      before[i] = std::exchange(end, std::move(next));
    }
    for_each_index(lane, count - 1, [&](std::size_t i) {
      scan(blocks.begin(first + i + 1), blocks.end(first + i + 1), std::move(before[i + 1]));
    });
    return end;
  }

  // Always as a T, so that `op` is the same function on every way to a sum.
  T element(std::size_t i) {
    return static_cast<T>(std::invoke(map_, in_[static_cast<std::iter_difference_t<In>>(i)]));
  }
  auto&& place(std::size_t i) { return out_[static_cast<std::iter_difference_t<Out>>(i)]; }

  T add_up(std::size_t begin, std::size_t end) {
    T sum = element(begin);
    for (std::size_t i = begin + 1; i < end; ++i) sum = op_(std::move(sum), element(i));
    return sum;
  }

  // Returns the sum up to `end`. pre: begin < end; an exclusive scan has something before it.
  T scan(std::size_t begin, std::size_t end, std::optional<T> before) {
    if constexpr (kKind == ScanKind::kInclusive) {
      T sum = before ? T(op_(std::move(*before), element(begin))) : element(begin);
      place(begin) = sum;
      for (std::size_t i = begin + 1; i < end; ++i) {
        sum = op_(std::move(sum), element(i));
        place(i) = sum;
      }
      return sum;
    } else {
      T sum = std::move(*before);
      for (std::size_t i = begin; i < end; ++i) {
        T next = op_(sum, element(i));  // `out` may be `in`
        place(i) = std::move(sum);
        sum = std::move(next);
      }
      return sum;
    }
  }

  // scan(), and the sum up to the end by way of the sum of the block.
  T scan_and_add(std::size_t begin, std::size_t end, std::optional<T> before) {
    if (kIsExact || !before) return scan(begin, end, std::move(before));
    T block = element(begin);
    T sum = op_(*before, block);
    place(begin) = kKind == ScanKind::kInclusive ? sum : *before;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const T next = element(i);
      if constexpr (kKind == ScanKind::kExclusive) place(i) = sum;
      sum = op_(std::move(sum), next);
      if constexpr (kKind == ScanKind::kInclusive) place(i) = sum;
      block = op_(std::move(block), next);
    }
    return op_(std::move(*before), std::move(block));
  }

  const In in_;
  const std::size_t n_;
  const Out out_;
  Op& op_;
  Map& map_;
};

template <ScanKind kKind, class T, class R, class Out, class Op, class Map>
Out scan(R&& range, Out out, std::optional<T> initial, Op& op, Map& map) {
  const auto n = std::ranges::ssize(range);
  const auto in = unwrap(std::ranges::begin(range));
  const auto to = unwrap(out);
  if (n > 0) {
    with_lane([&](Lane& lane) {
      Scan<kKind, T, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>, Op, Map>(
          in, static_cast<std::size_t>(n), to, op, map)
          .run(lane, std::move(initial));
    });
  }
  return out + n;
}

template <class R>
concept Scannable = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
template <class Op, class T>
concept ScanOp =
    std::copy_constructible<T> && std::invocable<Op&, T, T> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;
template <class R, class Map>
using Mapped = std::remove_cvref_t<std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>>;

}  // namespace detail

// Element i of the output is map(x[0]) op ... op map(x[i]), and in front of that `initial op`, where it is given. Returns the end
// of the output, which may be the input itself and may not overlap it otherwise.
//
// `op` must be associative up to rounding and need not commute. Up to 1023 elements are added up from first to last. More are
// divided into blocks of n / 256 elements, at least 256 and at most 65536, and element i is (sum of the blocks before) op
// (first of its block) op ... : the shape depends on n only. O(n), at most 2 n + n / 256 calls of op and 2 n of map; no
// allocation, a few KiB of stack. Exceptions as parallel_for; the output then has some of the elements.
//
// Source: the two passes of G. Blelloch, "Prefix sums and their applications", 1990, on windows that fit into a cache.
template <detail::Scannable R, std::random_access_iterator Out, class Op, class Map>
requires detail::ScanOp<Op, detail::Mapped<R, Map>> Out parallel_transform_inclusive_scan(R&& range, Out out, Op op,
                                                                                          Map map) {
  return detail::scan<detail::ScanKind::kInclusive, detail::Mapped<R, Map>>(range, out, std::nullopt, op, map);
}
template <detail::Scannable R, std::random_access_iterator Out, class Op, class Map, class T>
requires detail::ScanOp<Op, T> Out parallel_transform_inclusive_scan(R&& range, Out out, Op op, Map map, T initial) {
  return detail::scan<detail::ScanKind::kInclusive, T>(range, out, std::optional<T>(std::move(initial)), op, map);
}
// As parallel_transform_inclusive_scan, but element i is initial op map(x[0]) op ... op map(x[i - 1]).
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op, class Map>
requires detail::ScanOp<Op, T> Out parallel_transform_exclusive_scan(R&& range, Out out, T initial, Op op, Map map) {
  return detail::scan<detail::ScanKind::kExclusive, T>(range, out, std::optional<T>(std::move(initial)), op, map);
}

// The same of the elements as they are.
template <detail::Scannable R, std::random_access_iterator Out, class Op = std::plus<>>
requires detail::ScanOp<Op, std::ranges::range_value_t<R>> Out parallel_inclusive_scan(R&& range, Out out, Op op = {}) {
  return parallel_transform_inclusive_scan(range, out, std::move(op), std::identity());
}
template <detail::Scannable R, std::random_access_iterator Out, class Op, class T>
requires detail::ScanOp<Op, T> Out parallel_inclusive_scan(R&& range, Out out, Op op, T initial) {
  return parallel_transform_inclusive_scan(range, out, std::move(op), std::identity(), std::move(initial));
}
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op = std::plus<>>
requires detail::ScanOp<Op, T> Out parallel_exclusive_scan(R&& range, Out out, T initial, Op op = {}) {
  return parallel_transform_exclusive_scan(range, out, std::move(initial), std::move(op), std::identity());
}

}  // namespace jobs::inline JOBS_ABI
