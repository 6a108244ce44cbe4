// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_inclusive_scan(), parallel_exclusive_scan(): all prefix sums of a range.
// parallel_transform_inclusive_scan(), parallel_transform_exclusive_scan(): all prefix sums of
// mapped elements.
//
//   jobs::parallel_inclusive_scan(sizes, ends.begin());
//   jobs::parallel_exclusive_scan(sizes, begins.begin(), 0);
//   jobs::parallel_transform_exclusive_scan(files, offsets.begin(), 0u, std::plus{},
//                                           [](const File& f) { return f.size; });
//
// Any thread may call them. The result has the same bits for any number of workers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/prefix_chain.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

enum class ScanKind { kInclusive, kExclusive };

namespace scan_order {
// A number that publishes nothing else.
JOBS_ORDER(kTake, relaxed);
// Only the thread that set a mark acts on it; fork and join order the last load.
JOBS_ORDER(kPending, relaxed);
}  // namespace scan_order

// One call of a scan: a fixed grid of blocks. The sum of a block is added up from its first element
// on. The elements of a block are added to the sum of all earlier blocks.
//
// Workers take the blocks from left to right, in one of two ways:
// 1. If the sum before a block is known, the worker computes the prefix sums and the sum of the
//    block in one pass. It needs two chains of additions, which the processor overlaps. A single
//    worker always takes this way; of several workers, one always does.
// 2. Otherwise the worker adds up the block and marks it as pending. The same worker scans it as
//    soon as the sum before it is known, and finds it in its cache. Until then it adds up further
//    blocks.
//
// No worker waits for another one. At the end, free workers scan the pending blocks that are left.
template <ScanKind kKind, class T, class In, class Out, class Op, class Map>
class Scan {
 public:
  Scan(In in, std::size_t n, Out out, Op& op, Map& map)
      : in_(in), n_(n), out_(out), op_(op), map_(map) {}

  // `sum`: the sum of everything before the range, if there is any.
  void run(WorkerContext& context, std::optional<T> sum) {
    if (n_ < kAlone) {
      scan(0, n_, std::move(sum));
      return;
    }
    const Blocks blocks(n_, n_, std::clamp(n_ / 256, kMinBlock, kMaxBlock));
    if (!context.has_thieves()) {
      for (std::size_t block = 0; block < blocks.count(); ++block) {
        sum = scan_and_add(blocks.begin(block), blocks.end(block), std::move(sum));
      }
    } else {
      for (std::size_t first = 0; first < blocks.count(); first += kWindow) {
        sum = scan_window(context, blocks, first, std::min(blocks.count() - first, kWindow),
                          std::move(sum));
      }
    }
  }

 private:
  // True for additions with the same result in any grouping.
  static constexpr bool kIsExact = std::is_integral_v<T> && (std::is_same_v<Op, std::plus<>> ||
                                                             std::is_same_v<Op, std::plus<T>>);
  // Fewer elements are scanned from first to last.
  static constexpr std::size_t kAlone = 1024;
  static constexpr std::size_t kMinBlock = 256;
  static constexpr std::size_t kMaxBlock = 65536;
  // Blocks of one window. The sums and states of a window take 8 KiB if a value has at most 64
  // bytes.
  static constexpr std::size_t kWindow =
      std::clamp<std::size_t>(std::bit_floor(1024 / sizeof(T)), 16, 256);
  // A larger window is on the heap.
  static constexpr std::size_t kMostStack = 16 * 1024;

  struct Window : HeapObject<Window> {
    Window(const Blocks& all, std::size_t first_block, std::optional<T> sum)
        : blocks(all), first(first_block), sums(std::move(sum)) {}

    const Blocks& blocks;
    const std::size_t first;
    PrefixChain<T, kWindow> sums;
    Atomic<std::size_t> next{0};
    // The worker context that has added up the block and has not scanned it yet.
    std::array<Atomic<const WorkerContext*>, kWindow> pending{};

    std::size_t begin(std::size_t i) const { return blocks.begin(first + i); }
    std::size_t end(std::size_t i) const { return blocks.end(first + i); }
  };

  // Scans the blocks [first, first + count). Returns the sum up to their end.
  std::optional<T> scan_window(WorkerContext& context, const Blocks& blocks, std::size_t first,
                               std::size_t count, std::optional<T> sum) {
    if constexpr (sizeof(Window) <= kMostStack) {
      Window window(blocks, first, std::move(sum));
      return scan_window(context, window, count);
    } else {
      return scan_window(context, *std::make_unique<Window>(blocks, first, std::move(sum)), count);
    }
  }
  std::optional<T> scan_window(WorkerContext& context, Window& window, std::size_t count) {
    // The loop distributes work; `window.next` distributes the blocks, so that workers take them
    // from left to right.
    for_each_part(context, count, [&](std::size_t begin, std::size_t end) {
      std::size_t i = window.next.fetch_add(end - begin, scan_order::kTake);
      for (; begin < end; ++begin, ++i) take(window, i);
      scan_own(window, i);
    });
    std::array<std::uint16_t, kWindow> left;
    std::size_t left_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (window.pending[i].load(scan_order::kPending) != nullptr)
        left[left_count++] = static_cast<std::uint16_t>(i);
    }
    for_each_index(context, left_count, [&](std::size_t k) {
      const std::size_t i = left[k];
      scan(window.begin(i), window.end(i), *window.sums.before(i));
    });
    return *window.sums.before(count);
  }

  // Scans block i if the sum before it is known. Otherwise adds it up and marks it as pending.
  void take(Window& window, std::size_t i) {
    const std::size_t begin = window.begin(i);
    const std::size_t end = window.end(i);
    if (const std::optional<T>* const before = window.sums.before(i)) {
      window.sums.set_before(i + 1, scan_and_add(begin, end, *before), op_);
    } else {
      T sum = add_up(begin, end);
      // No thread reads the block any more.
      window.pending[i].store(this_context(), scan_order::kPending);
      window.sums.add(i, std::move(sum), op_);
    }
  }

  // Scans the blocks of [0, end) that this thread has added up, as far as the sums before them are
  // known. They are still in its caches.
  void scan_own(Window& window, std::size_t end) {
    const WorkerContext* const self = this_context();
    for (std::size_t i = 0; i < end; ++i) {
      if (window.pending[i].load(scan_order::kPending) != self) continue;
      const std::optional<T>* const before = window.sums.before(i);
      if (before == nullptr) return;
      window.pending[i].store(nullptr, scan_order::kPending);
      scan(window.begin(i), window.end(i), *before);
    }
  }

  // Converts to T, so that `op` is the same function on every way to a sum.
  T element(std::size_t i) {
    return static_cast<T>(std::invoke(map_, in_[static_cast<std::iter_difference_t<In>>(i)]));
  }
  auto&& place(std::size_t i) { return out_[static_cast<std::iter_difference_t<Out>>(i)]; }

  T add_up(std::size_t begin, std::size_t end) {
    T sum = element(begin);
    for (std::size_t i = begin + 1; i < end; ++i) sum = op_(std::move(sum), element(i));
    return sum;
  }

  // Scans [begin, end) and returns the sum up to `end`. pre: begin < end; an exclusive scan has a
  // sum before it. Unrolled by 4: a loop of one addition takes twice as long if the compiler places
  // it across two cache lines of code.
  T scan(std::size_t begin, std::size_t end, std::optional<T> before) {
    if constexpr (kKind == ScanKind::kInclusive) {
      T sum = before ? T(op_(std::move(*before), element(begin))) : element(begin);
      place(begin) = sum;
// clang warns there that it cannot unroll
#if !defined(JOBS_TSAN_NO_SYNC)
#pragma GCC unroll 4
#endif
      for (std::size_t i = begin + 1; i < end; ++i) {
        sum = op_(std::move(sum), element(i));
        place(i) = sum;
      }
      return sum;
    } else {
      T sum = std::move(*before);
// clang warns there that it cannot unroll
#if !defined(JOBS_TSAN_NO_SYNC)
#pragma GCC unroll 4
#endif
      for (std::size_t i = begin; i < end; ++i) {
        // `out` may be `in`.
        T next = element(i);
        place(i) = sum;
        sum = op_(std::move(sum), std::move(next));
      }
      return sum;
    }
  }

  // The same as scan(), but computes the returned sum from the sum of the block.
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
    with_context([&](WorkerContext& context) {
      Scan<kKind, T, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>, Op, Map>(
          in, static_cast<std::size_t>(n), to, op, map)
          .run(context, std::move(initial));
    });
  }
  return out + n;
}

template <class R>
concept Scannable = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
template <class Op, class T>
concept ScanOp = std::copy_constructible<T> && std::invocable<Op&, T, T> &&
                 std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;
template <class R, class Map>
using Mapped = std::remove_cvref_t<std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>>;

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Computes op over the mapped elements up to each element, this one included.
///
/// Element i of the output is map(x[0]) op ... op map(x[i]). `op` must be associative up to
/// rounding and need not commute. Several workers call `op` and `map` concurrently. If one of them
/// throws, the output holds some of the elements.
///
/// Up to 1023 elements are added up from first to last. Longer ranges are divided into blocks of n
/// / 256 elements, at least 256 and at most 65536. Element i is then (sum of the blocks before) op
/// (first element of its block) op ... op map(x[i]). This shape depends on n only, so the result
/// has the same bits for any number of workers.
///
/// @snippet algorithms.cpp transform_scan
///
/// Source: the two passes of G. Blelloch, "Prefix sums and their applications", 1990. The second
/// pass follows the first one as closely as possible, as in D. Merrill, M. Garland, "Single-pass
/// parallel prefix scan with decoupled look-back", 2016, but without its waits.
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam Op  associative function from two values to a value
/// @tparam Map  function from an element to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param op  adds two values
/// @param map  returns the value of an element
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @throws std::bad_alloc if there is no memory for values of more than 400 bytes
/// @complexity O(n), at most 2 n + n / 256 calls of `op` and 2 n of `map`; at most 16 KiB of stack,
///   and no allocation, if a value has at most 400 bytes; otherwise one allocation for 16 blocks
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class Op, class Map>
  requires detail::ScanOp<Op, detail::Mapped<R, Map>>
Out parallel_transform_inclusive_scan(R&& range, Out out, Op op, Map map) {
  return detail::scan<detail::ScanKind::kInclusive, detail::Mapped<R, Map>>(range, out,
                                                                            std::nullopt, op, map);
}
/// Computes op over an initial value and the mapped elements up to each element.
///
/// Element i of the output is initial op map(x[0]) op ... op map(x[i]). Otherwise the same as the
/// form without an initial value.
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam T  type of the values
/// @tparam Op  associative function from two values to a value
/// @tparam Map  function from an element to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param initial  first operand of each sum; its type T is that of the sums. An integer with
///   floating-point values is refused, because it loses fractions
/// @param op  adds two values
/// @param map  returns the value of an element
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n); stack and allocation as parallel_transform_inclusive_scan()
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op, class Map>
  requires detail::ScanOp<Op, T>
Out parallel_transform_inclusive_scan(R&& range, Out out, T initial, Op op, Map map) {
  JOBS_KEEP_FRACTIONS("jobs::parallel_inclusive_scan, parallel_transform_inclusive_scan",
                      "initial value", T, detail::Mapped<R, Map>, std::invoke_result_t<Op&, T, T>);
  return detail::scan<detail::ScanKind::kInclusive, T>(
      range, out, std::optional<T>(std::move(initial)), op, map);
}
/// Computes op over an initial value and the mapped elements before each element.
///
/// Element i of the output is initial op map(x[0]) op ... op map(x[i - 1]). Otherwise the same as
/// parallel_transform_inclusive_scan().
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam T  type of the values
/// @tparam Op  associative function from two values to a value
/// @tparam Map  function from an element to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param initial  first operand of each sum; its type T is that of the sums. An integer with
///   floating-point values is refused, because it loses fractions
/// @param op  adds two values
/// @param map  returns the value of an element
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n); stack and allocation as parallel_transform_inclusive_scan()
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op, class Map>
  requires detail::ScanOp<Op, T>
Out parallel_transform_exclusive_scan(R&& range, Out out, T initial, Op op, Map map) {
  JOBS_KEEP_FRACTIONS("jobs::parallel_exclusive_scan, parallel_transform_exclusive_scan",
                      "initial value", T, detail::Mapped<R, Map>, std::invoke_result_t<Op&, T, T>);
  return detail::scan<detail::ScanKind::kExclusive, T>(
      range, out, std::optional<T>(std::move(initial)), op, map);
}

/// Computes the sum of the elements up to each element, this one included.
///
/// Element i of the output is x[0] op ... op x[i]. Otherwise the same as
/// parallel_transform_inclusive_scan().
///
/// @snippet algorithms.cpp scan
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam Op  associative function from two values to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param op  adds two values
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n); stack and allocation as parallel_transform_inclusive_scan()
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class Op = std::plus<>>
  requires detail::ScanOp<Op, std::ranges::range_value_t<R>>
Out parallel_inclusive_scan(R&& range, Out out, Op op = {}) {
  return parallel_transform_inclusive_scan(range, out, std::move(op), std::identity());
}
/// Computes the sum of an initial value and the elements up to each element.
///
/// Element i of the output is initial op x[0] op ... op x[i].
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam T  type of the values
/// @tparam Op  associative function from two values to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param initial  first operand of each sum; its type T is that of the sums. An integer with
///   floating-point values is refused, because it loses fractions
/// @param op  adds two values
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n); stack and allocation as parallel_transform_inclusive_scan()
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op>
  requires detail::ScanOp<Op, T>
Out parallel_inclusive_scan(R&& range, Out out, T initial, Op op) {
  return parallel_transform_inclusive_scan(range, out, std::move(initial), std::move(op),
                                           std::identity());
}
/// Computes the sum of an initial value and the elements before each element.
///
/// Element i of the output is initial op x[0] op ... op x[i - 1].
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam T  type of the values
/// @tparam Op  associative function from two values to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param initial  first operand of each sum; its type T is that of the sums. An integer with
///   floating-point values is refused, because it loses fractions
/// @param op  adds two values
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n); stack and allocation as parallel_transform_inclusive_scan()
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <detail::Scannable R, std::random_access_iterator Out, class T, class Op = std::plus<>>
  requires detail::ScanOp<Op, T>
Out parallel_exclusive_scan(R&& range, Out out, T initial, Op op = {}) {
  return parallel_transform_exclusive_scan(range, out, std::move(initial), std::move(op),
                                           std::identity());
}

/// @cond internal: readable errors for wrong calls
JOBS_REFUSE_OTHER_CALLS(
    parallel_inclusive_scan,
    "takes (range, out, op) or (range, out, initial, op), with op(value, value)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_CALLS(parallel_exclusive_scan,
                        "takes (range, out, initial, op), with op(value, value)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_CALLS(
    parallel_transform_inclusive_scan,
    "takes (range, out, op, map) or (range, out, initial, op, map)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_CALLS(parallel_transform_exclusive_scan,
                        "takes (range, out, initial, op, map)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_RANGES(parallel_inclusive_scan)
JOBS_REFUSE_OTHER_RANGES(parallel_exclusive_scan)
JOBS_REFUSE_OTHER_RANGES(parallel_transform_inclusive_scan)
JOBS_REFUSE_OTHER_RANGES(parallel_transform_exclusive_scan)
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
