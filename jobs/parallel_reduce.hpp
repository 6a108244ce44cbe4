// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_reduce() combines a range; the bits do not depend on the workers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "jobs/algorithm/core/order.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// The tree of one reduction. Its leaves have equal sizes and are halved at multiples of the leaf
// size. Its shape depends on the number of indices alone.
template <std::integral I, class T, class Map, class Op>
class Reduction {
 public:
  Reduction(I first, std::uint64_t count, const T& identity, Map& map, Op& op)
      : first_(first),
        count_(count),
        leaf_size_((count + kLeaves - 1) / kLeaves),
        identity_(identity),
        map_(map),
        op_(op) {}

  T run(WorkerContext& context) {
    const std::uint64_t leaves = (count_ + leaf_size_ - 1) / leaf_size_;
    // The time of the first iterations decides whether the rest is worth a fork; the first leaf
    // continues from their sum.
    tried_ = std::min(leaf_size_, std::max(leaf_size_ / 8, kMinTried));
    const os::Nanoseconds start = os::quick_now();
    begun_.emplace(fold(identity_, 0, tried_));
    const os::Nanoseconds elapsed =
        std::max<os::Nanoseconds>(os::quick_now() - start - kClockTime, 0);
    const os::Nanoseconds threshold =
        context.has_searching_workers() ? kWorthSharing : kWorthWaking;
    is_shared_ = context.has_thieves() &&
                 static_cast<double>(count_ - tried_) * static_cast<double>(elapsed) >
                     static_cast<double>(tried_) * static_cast<double>(threshold);
    return node(context, 0, leaves);
  }

 private:
  static constexpr std::uint64_t kLeaves =
      256;  // enough for 64 workers; more leaves would cost short reductions
  static constexpr std::uint64_t kMinTried = 64;

  T leaf(std::uint64_t index) {
    const std::uint64_t begin = index * leaf_size_;
    const std::uint64_t end = begin + std::min(leaf_size_, count_ - begin);
    return index == 0 ? fold(std::move(*begun_), tried_, end) : fold(identity_, begin, end);
  }

  T fold(T sum, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t size = end - begin;
    const I from = advance_index(first_, begin);
    for (std::uint64_t i = 0; i < size; ++i)
      sum = op_(std::move(sum), map_(advance_index(from, i)));
    return sum;
  }

  // Returns the result of leaves [begin, end).
  T node(WorkerContext& context, std::uint64_t begin, std::uint64_t end) {
    if (end - begin == 1) return leaf(begin);
    const std::uint64_t middle = begin + (end - begin) / 2;
    const auto combine = [this](T left, T right) -> T {
      return op_(std::move(left), std::move(right));
    };
    if (!is_shared_) {
      T left = node(context, begin, middle);
      return combine(std::move(left), node(context, middle, end));
    }
    auto right = [this, middle, end] { return node(*this_context(), middle, end); };
    return fork_two(context, [&] { return node(context, begin, middle); }, right, combine);
  }

  const I first_;
  const std::uint64_t count_;
  const std::uint64_t leaf_size_;
  const T& identity_;
  Map& map_;
  Op& op_;
  std::uint64_t tried_ = 0;
  std::optional<T> begun_;  // the sum of the first `tried_` iterations
  bool is_shared_ = false;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Combines map(i) of all i in [first, last) in index order, in parallel.
///
/// The result is op(...op(op(identity, map(first)), map(first + 1))..., ...), regrouped. `op` must
/// be associative up to rounding, and `identity` neutral; `op` need not commute.
///
/// Leaves of ceil(n / 256) indices are folded from left to right, each starting from `identity`. A
/// balanced tree combines the leaves. Shape and result depend on the range only, not on the number
/// of workers or on timing: floating-point results have the same bits in each run.
///
/// @snippet loops.cpp parallel_reduce
///
/// @param first  first index
/// @param last  index after the last one
/// @param identity  neutral element of op, and the result for an empty range
/// @param map  callable as map(index); several workers call it concurrently
/// @param op  callable as op(T, map(index)) and op(T, T); several workers call it concurrently
/// @returns the combined value
/// @throws exception of map or op; as with fork_join(), the exception of the lower index takes
///   precedence
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity n calls of map, at most n + 255 calls of op; no allocation of its own
/// @thread_safety any thread or fiber, concurrently
template <std::integral I, class T, class Map, class Op>
  requires std::invocable<Map&, I> &&
           std::convertible_to<std::invoke_result_t<Op&, T, std::invoke_result_t<Map&, I>>, T> &&
           std::convertible_to<std::invoke_result_t<Op&, T, T>, T>
[[nodiscard]] T parallel_reduce(I first, I last, T identity, Map&& map, Op&& op) {
  const std::uint64_t count = detail::index_distance(first, last);
  if (count == 0) return identity;
  return detail::with_context([&](detail::WorkerContext& context) -> T {
    return detail::Reduction<I, T, std::remove_reference_t<Map>, std::remove_reference_t<Op>>(
               first, count, identity, map, op)
        .run(context);
  });
}

/// Combines map(element) of all elements of a range in their order, in parallel.
///
/// The order and the reproducibility are those of parallel_reduce() over indices. The calls of `op`
/// are grouped: a tree of its own combines eight elements, so that additions of a sum do not wait
/// for each other.
///
/// @param range  sized random-access range; must outlive the call
/// @param identity  neutral element of op, and the result for an empty range
/// @param op  callable as op(T, T); several workers call it concurrently
/// @param map  callable as map(element), or a pointer to a member; several workers call it
///   concurrently
/// @returns the combined value
/// @throws exception of map or op; the exception of the lower index takes precedence
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity n calls of map, at most n + 255 calls of op; no allocation of its own
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Op, class Map>
  requires std::ranges::sized_range<R> &&
           std::convertible_to<std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>, T> &&
           std::convertible_to<std::invoke_result_t<Op&, T, T>, T>
[[nodiscard]] T parallel_transform_reduce(R&& range, T identity, Op op, Map map) {
  constexpr std::size_t kGroup = 8;
  const auto first = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  const auto at = [&](std::size_t i) -> T {
    return static_cast<T>(
        std::invoke(map, first[static_cast<std::ranges::range_difference_t<R>>(i)]));
  };
  const auto two = [&](std::size_t i) -> T { return op(at(i), at(i + 1)); };
  const auto four = [&](std::size_t i) -> T { return op(two(i), two(i + 2)); };
  const auto eight = [&](std::size_t group) -> T {
    // Without this barrier g++ takes several groups at once and transposes them, which takes 2.5
    // times as long.
    asm("" : "+r"(group));
    return op(four(group * kGroup), four(group * kGroup + 4));
  };
  T sum = parallel_reduce(std::size_t{0}, n / kGroup, std::move(identity), eight, op);
  for (std::size_t i = n - n % kGroup; i < n; ++i) sum = op(std::move(sum), at(i));
  return sum;
}

/// Combines all elements of a range in their order, in parallel.
///
/// The call is parallel_transform_reduce() with the identity map.
///
/// @param range  sized random-access range; must outlive the call
/// @param identity  neutral element of op, and the result for an empty range
/// @param op  callable as op(T, T); addition if left out
/// @returns the combined value
/// @throws exception of op; the exception of the lower index takes precedence
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity at most n + 255 calls of op; no allocation of its own
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Op = std::plus<>>
  requires std::ranges::sized_range<R> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>
[[nodiscard]] T parallel_reduce(R&& range, T identity, Op op = {}) {
  return parallel_transform_reduce(range, std::move(identity), std::move(op), std::identity());
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {

// The reason why no form of parallel_reduce() takes these arguments.
template <class First, class Last, class T, class Map, class Op>
struct IndexReduceCheck {
  static constexpr bool kOneType = std::same_as<First, Last>;
  static constexpr bool kIntegers = std::integral<First> && std::integral<Last>;
  static constexpr bool kHasMap = std::invocable<Map&, First>;
  static constexpr bool has_op() {
    if constexpr (kHasMap) {
      return std::is_invocable_r_v<T, Op&, T, std::invoke_result_t<Map&, First>> &&
             std::is_invocable_r_v<T, Op&, T, T>;
    } else {
      return true;
    }
  }
  static constexpr bool kHasOp = has_op();
};
template <class R, class T, class Op>
struct RangeReduceCheck {
  static constexpr bool kHasIndex =
      std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
  static constexpr bool kHasOp = std::is_invocable_r_v<T, Op&, T, T>;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class First, class Last, class T, class Map, class Op>
  requires(std::is_arithmetic_v<First> && std::is_arithmetic_v<Last> &&
           !(detail::IndexReduceCheck<First, Last, T, Map, Op>::kOneType &&
             detail::IndexReduceCheck<First, Last, T, Map, Op>::kIntegers &&
             detail::IndexReduceCheck<First, Last, T, Map, Op>::kHasMap &&
             detail::IndexReduceCheck<First, Last, T, Map, Op>::kHasOp))
auto parallel_reduce(First, Last, T, Map&&, Op&&) {
  using Check = detail::IndexReduceCheck<First, Last, T, Map, Op>;
  static_assert(Check::kOneType,
                "jobs::parallel_reduce: first and last must have one type: write std::size_t{0}, "
                "not 0, beside a std::size_t");
  static_assert(!Check::kOneType || Check::kIntegers,
                "jobs::parallel_reduce: first and last must be integers");
  static_assert(!Check::kOneType || !Check::kIntegers || Check::kHasMap,
                "jobs::parallel_reduce: map must be callable as map(index)");
  static_assert(!Check::kOneType || !Check::kIntegers || Check::kHasOp,
                "jobs::parallel_reduce: op must be callable as op(T, map(index)) and op(T, T), and "
                "return a T, where T "
                "is the type of the identity");
  return detail::Anything();
}
template <class R, class T, class Op = std::plus<>>
  requires(std::ranges::range<R> && !(detail::RangeReduceCheck<R, T, Op>::kHasIndex &&
                                      detail::RangeReduceCheck<R, T, Op>::kHasOp))
auto parallel_reduce(R&&, T, Op = {}) {
  using Check = detail::RangeReduceCheck<R, T, Op>;
  static_assert(Check::kHasIndex,
                "jobs::parallel_reduce: the range must have random access and a size");
  static_assert(!Check::kHasIndex || Check::kHasOp,
                "jobs::parallel_reduce: op must be callable as op(T, T), where T is the type of "
                "the identity");
  return detail::Anything();
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
