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
#include <memory>
#include <optional>
#include <utility>

#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// What the last function of a reduction does.
enum class ReduceForm : std::uint8_t {
  kMap,    // map(index): the value of one index
  kChunk,  // map(begin, end): the combined value of a part
  kFold,   // fold(T, index): the value so far and one index
};

// The events of a reduction in a recording, also if it throws.
class TracedReduction {
 public:
  explicit TracedReduction(const void* reduction) noexcept : reduction_(reduction) {
    trace_loop(reduction, true);
  }
  ~TracedReduction() { trace_loop(reduction_, false); }
  TracedReduction(const TracedReduction&) = delete;
  TracedReduction& operator=(const TracedReduction&) = delete;

 private:
  const void* const reduction_;
};

// The events of one of its leaves.
class TracedLeaf {
 public:
  TracedLeaf(const void* reduction, std::uint64_t first) noexcept : reduction_(reduction) {
    trace_chunk(reduction, first | kTraceLeaf, true);
  }
  ~TracedLeaf() { trace_chunk(reduction_, 0, false); }
  TracedLeaf(const TracedLeaf&) = delete;
  TracedLeaf& operator=(const TracedLeaf&) = delete;

 private:
  const void* const reduction_;
};

// The tree of one reduction. Its leaves have equal sizes and are halved at multiples of the leaf
// size. Its shape depends on the number of indices and on the grain alone.
template <ReduceForm kForm, std::integral I, class T, class Op, class Map>
class Reduction {
 public:
  Reduction(IndexRange<I> range, const T& identity, Op& op, Map& map, Grain grain)
      : first_(range.first),
        count_(range.count),
        leaf_size_(grain.is_automatic() ? (count_ - 1) / kLeaves + 1 : grain.iterations()),
        is_automatic_(grain.is_automatic()),
        identity_(identity),
        op_(op),
        map_(map) {}

  T run(WorkerContext& context) {
    if (context.is_traced()) [[unlikely]]
      return run_traced(context);
    return run_tree(context);
  }

 private:
  JOBS_COLD T run_traced(WorkerContext& context) {
    is_traced_ = true;
    special_leaves_ = ~std::uint64_t{0};
    const TracedReduction traced(this);
    return run_tree(context);
  }
  T run_tree(WorkerContext& context) {
    if (is_automatic_) {
      decide(context);
    } else {
      is_shared_ = context.has_thieves();
    }
    return node(context, 0, (count_ - 1) / leaf_size_ + 1);
  }

  static constexpr std::uint64_t kLeaves =
      256;  // enough for 64 workers; more leaves would cost short reductions
  static constexpr std::uint64_t kMinTried = 64;
  static constexpr LoopCosts::Code kCode = &loop_code<Reduction>;

  // Decides whether the rest of the reduction is worth a fork: by the cost of the last one like it,
  // or else by the time of the first iterations. The first leaf continues from their sum. A part
  // for a function of parts stays whole.
  void decide(WorkerContext& context) {
    if (!context.has_thieves()) return;
    const os::Nanoseconds threshold =
        context.has_searching_workers() ? kWorthSharing : kWorthWaking;
    is_expected_ = is_worth(context.loop_costs.expected(kCode), count_, threshold);
    is_shared_ = is_expected_;
    if (is_expected_) return;
    const std::uint64_t tried = kForm == ReduceForm::kChunk
                                    ? leaf_size_
                                    : std::min(leaf_size_, std::max(leaf_size_ / 8, kMinTried));
    begun_.emplace(measured_fold(context, tried));
    tried_ = tried;
    is_shared_ = is_worth(cost_, count_ - tried, threshold);
  }
  static bool is_worth(float cost, std::uint64_t count, os::Nanoseconds threshold) noexcept {
    return static_cast<double>(count) * static_cast<double>(cost) > static_cast<double>(threshold);
  }
  // Folds the first `count` iterations and learns their cost.
  T measured_fold(WorkerContext& context, std::uint64_t count) {
    const os::Nanoseconds start = os::quick_now();
    T sum = fold(identity_, 0, count);
    const os::Nanoseconds elapsed =
        std::max<os::Nanoseconds>(os::quick_now() - start - kClockTime, 0);
    cost_ = static_cast<float>(elapsed) / static_cast<float>(count);
    context.loop_costs.learn(kCode, cost_);
    return sum;
  }

  T leaf(WorkerContext& context, std::uint64_t index) {
    const std::uint64_t begin = index * leaf_size_;
    const std::uint64_t end = begin + std::min(leaf_size_, count_ - begin);
    if (index >= special_leaves_) [[likely]]
      return fold(identity_, begin, end);
    if (!is_traced_) return first_leaf(context, end);
    const TracedLeaf traced(this, begin);
    return index == 0 ? first_leaf(context, end) : fold(identity_, begin, end);
  }
  T first_leaf(WorkerContext& context, std::uint64_t end) {
    if (is_expected_) return measured_fold(context, end);
    if (!begun_) return fold(identity_, 0, end);
    return tried_ == end ? std::move(*begun_) : fold(std::move(*begun_), tried_, end);
  }

  T fold(T sum, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t size = end - begin;
    const I from = advance_index(first_, begin);
    if constexpr (kForm == ReduceForm::kChunk) {
      return map_(from, advance_index(first_, end));
    } else if constexpr (kForm == ReduceForm::kFold) {
      for (std::uint64_t i = 0; i < size; ++i) sum = map_(std::move(sum), advance_index(from, i));
    } else {
      for (std::uint64_t i = 0; i < size; ++i)
        sum = op_(std::move(sum), map_(advance_index(from, i)));
    }
    return sum;
  }

  // Returns the result of leaves [begin, end).
  T node(WorkerContext& context, std::uint64_t begin, std::uint64_t end) {
    if (end - begin == 1) return leaf(context, begin);
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
  const bool is_automatic_;
  const T& identity_;
  Op& op_;
  Map& map_;
  std::uint64_t tried_ = 0;
  std::optional<T> begun_;  // the sum of the first `tried_` iterations
  float cost_ = 0;          // measured; nanoseconds per iteration
  // Leaves with an index below it do more than fold: the first one, or all that are recorded.
  std::uint64_t special_leaves_ = 1;
  bool is_expected_ = false;  // the cost of the last reduction has decided
  bool is_shared_ = false;
  bool is_traced_ = false;
};

template <class Op, class T, class Value = T>
concept ReduceOp = std::is_invocable_r_v<T, Op&, T, Value> && std::is_invocable_r_v<T, Op&, T, T>;
template <class Map, class I, class T>
concept ReduceChunk = std::is_invocable_r_v<T, Map&, I, I>;
template <class Fold, class T, class Element>
concept ReduceFold = std::is_invocable_r_v<T, Fold&, T, Element>;

template <class Map, class I, class T, class Op>
struct IsReduceMap : std::bool_constant<ReduceChunk<Map, I, T> && ReduceOp<Op, T>> {};
template <class Map, class I, class T, class Op>
  requires(!ReduceChunk<Map, I, T> && std::invocable<Map&, I>)
struct IsReduceMap<Map, I, T, Op>
    : std::bool_constant<ReduceOp<Op, T, std::invoke_result_t<Map&, I>>> {};

// The type of the value that a step of a reduction over indices converts to T.
template <ReduceForm kForm, class Map, class I, class T, class Op>
struct ReduceStep {
  using Type = std::invoke_result_t<Map&, I, I>;
};
template <class Map, class I, class T, class Op>
struct ReduceStep<ReduceForm::kMap, Map, I, T, Op> {
  using Type = std::invoke_result_t<Op&, T, std::invoke_result_t<Map&, I>>;
};

// A value on the heap. The tree of a reduction holds about 40 values at a time.
template <class T>
class HeapValue {
 public:
  explicit HeapValue(T&& value) : value_(std::make_unique<OnHeap<T>>(std::move(value))) {}
  HeapValue(const HeapValue& other) : value_(std::make_unique<OnHeap<T>>(*other)) {}
  HeapValue(HeapValue&&) noexcept = default;
  HeapValue& operator=(HeapValue&&) noexcept = default;
  ~HeapValue() = default;

  T& operator*() const noexcept { return value_->value; }

 private:
  std::unique_ptr<OnHeap<T>> value_;
};
// The operation of a reduction, for such values.
template <class T, class Op>
struct OpOnHeap {
  HeapValue<T> operator()(HeapValue<T> left, HeapValue<T> right) {
    return HeapValue<T>(op(std::move(*left), std::move(*right)));
  }
  template <class Element>
    requires(!std::same_as<std::decay_t<Element>, HeapValue<T>>)
  HeapValue<T> operator()(HeapValue<T> sum, Element&& element) {
    *sum = op(std::move(*sum), std::forward<Element>(element));
    return sum;
  }

  Op& op;
};
// Larger values lie on the heap during a reduction.
inline constexpr std::size_t kMostReduceStack = 512;

template <ReduceForm kForm, std::integral I, class T, class Op, class Map>
T reduce_here(IndexRange<I> range, const T& identity, Op& op, Map& map, Grain grain) {
  return with_context([&](WorkerContext& context) -> T {
    return Reduction<kForm, I, T, Op, Map>(range, identity, op, map, grain).run(context);
  });
}
template <ReduceForm kForm, std::integral I, class T, class Op, class Map>
T reduce_on_heap(IndexRange<I> range, T&& identity, Op& op, Map& map, Grain grain) {
  using Value = HeapValue<T>;
  OpOnHeap<T, Op> op_on_heap{op};
  const Value first(std::move(identity));
  const auto reduce_by = [&](auto&& map_to_values) {
    return std::move(*reduce_here<kForm>(range, first, op_on_heap, map_to_values, grain));
  };
  if constexpr (kForm == ReduceForm::kChunk) {
    return reduce_by([&](I begin, I end) { return Value(map(begin, end)); });
  } else if constexpr (kForm == ReduceForm::kFold) {
    return reduce_by([&](Value sum, I i) {
      *sum = map(std::move(*sum), i);
      return sum;
    });
  } else {
    return reduce_by(map);
  }
}
template <ReduceForm kForm, std::integral I, class T, class Op, class Map>
T reduce(IndexRange<I> range, T& identity, Op& op, Map& map, Grain grain) {
  if (range.count == 0) return std::move(identity);
  if constexpr (sizeof(T) > kMostReduceStack) {
    return reduce_on_heap<kForm>(range, std::move(identity), op, map, grain);
  } else {
    return reduce_here<kForm>(range, std::as_const(identity), op, map, grain);
  }
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Combines map(i) of all i in [first, last) in index order, in parallel.
///
/// The result is op(...op(op(identity, map(first)), map(first + 1))..., ...), regrouped. `op` must
/// be associative up to rounding, and `identity` neutral; `op` need not commute.
///
/// Leaves of ceil(n / 256) indices are folded from left to right, each starting from `identity`. A
/// balanced tree combines the leaves. Shape and result depend on the range and the grain only, not
/// on the number of workers or on timing: floating-point results have the same bits in each run.
///
/// The map may take two indices instead: map(begin, end) returns the combined value of a whole
/// leaf, so that it can be vectorised by hand. Each leaf is one call.
///
/// @snippet loops.cpp parallel_reduce
///
/// @param first  first index
/// @param last  index after the last one; its type may differ, as in parallel_for()
/// @param identity  neutral element of op, and the result for an empty range; its type T is that of
///   the result. An integer with floating-point values is refused, because it loses fractions
/// @param op  callable as op(T, T), and as op(T, map(index)) if the map takes one index; several
///   workers call it concurrently
/// @param map  callable as map(index), or as map(begin, end) for a T; several workers call it
///   concurrently
/// @param grain  indices per leaf, counted from the first index; the last leaf may be shorter.
///   ceil(n / 256) if left out
/// @returns the combined value
/// @throws exception of map or op; as with fork_join(), the exception of the lower index takes
///   precedence
/// @throws std::bad_alloc if there is no memory for values of more than 512 bytes
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity n calls of map, and less than n + 256 calls of op. With a map of two indices, one
///   call of map and less than one call of op per leaf. No allocation of its own if a T has at most
///   512 bytes; larger values lie on the heap.
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class T, class Op, class Map>
  requires detail::IsReduceMap<Map, detail::IndexOf<A, B>, T, Op>::value
[[nodiscard]] T parallel_reduce(A first, B last, T identity, Op&& op, Map&& map, Grain grain = {}) {
  constexpr auto kForm = detail::ReduceChunk<Map, detail::IndexOf<A, B>, T>
                             ? detail::ReduceForm::kChunk
                             : detail::ReduceForm::kMap;
  using Step = typename detail::ReduceStep<kForm, Map, detail::IndexOf<A, B>, T, Op>::Type;
  JOBS_KEEP_FRACTIONS("jobs::parallel_reduce", "identity", T, Step,
                      std::invoke_result_t<Op&, T, T>);
  return detail::reduce<kForm>(detail::index_range(first, last), identity, op, map, grain);
}

/// Folds the elements of a range in their order, in parallel.
///
/// Each leaf is folded from left to right: value = fold(value, element), starting from `identity`.
/// A balanced tree combines the leaves by `op`, as for parallel_reduce() over indices. The
/// accumulator may have another type than the elements: a container, or several sums at once.
///
/// @snippet loops.cpp parallel_fold
///
/// @param range  sized random-access range; must outlive the call
/// @param identity  neutral element of op, value that each leaf starts from, and the result for an
///   empty range
/// @param op  callable as op(T, T); several workers call it concurrently
/// @param fold  callable as fold(T, element) for a T; several workers call it concurrently
/// @param grain  elements per leaf; ceil(n / 256) if left out
/// @returns the combined value
/// @throws exception of fold or op; the exception of the lower index takes precedence
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity n calls of fold, less than one call of op per leaf; allocations as
///   parallel_reduce() over indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Op, class Fold>
  requires std::ranges::sized_range<R> && detail::ReduceOp<Op, T> &&
           detail::ReduceFold<Fold, T, std::ranges::range_reference_t<R>>
[[nodiscard]] T parallel_reduce(R&& range, T identity, Op&& op, Fold&& fold, Grain grain = {}) {
  using Step = std::invoke_result_t<Fold&, T, std::ranges::range_reference_t<R>>;
  JOBS_KEEP_FRACTIONS("jobs::parallel_reduce", "identity", T, Step,
                      std::invoke_result_t<Op&, T, T>);
  const auto first = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::uint64_t>(std::ranges::size(range));
  const auto step = [&](T value, std::uint64_t i) -> T {
    return fold(std::move(value), first[static_cast<std::ranges::range_difference_t<R>>(i)]);
  };
  return detail::reduce<detail::ReduceForm::kFold>(detail::index_range(std::uint64_t{0}, n),
                                                   identity, op, step, grain);
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
/// @complexity n calls of map, at most n + 255 calls of op; allocations as parallel_reduce() over
///   indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Op, class Map>
  requires std::ranges::sized_range<R> &&
           std::convertible_to<std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>, T> &&
           std::convertible_to<std::invoke_result_t<Op&, T, T>, T>
[[nodiscard]] T parallel_transform_reduce(R&& range, T identity, Op op, Map map) {
  using Value = std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>;
  JOBS_KEEP_FRACTIONS("jobs::parallel_reduce, parallel_transform_reduce", "identity", T, Value,
                      std::invoke_result_t<Op&, T, T>);
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
  if constexpr (sizeof(T) > detail::kMostReduceStack)
    return parallel_reduce(std::size_t{0}, n, std::move(identity), op, at);
  T sum = parallel_reduce(std::size_t{0}, n / kGroup, std::move(identity), op, eight);
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
/// @complexity at most n + 255 calls of op; allocations as parallel_reduce() over indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Op = std::plus<>>
  requires std::ranges::sized_range<R> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>
[[nodiscard]] T parallel_reduce(R&& range, T identity, Op op = {}) {
  return parallel_transform_reduce(range, std::move(identity), std::move(op), std::identity());
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {

// The reason why no form of parallel_reduce() takes these arguments.
template <class First, class Last, class T, class Op, class Map>
struct IndexReduceCheck {
  using Index = IndexOf<First, Last>;
  static constexpr bool kIntegers = std::integral<First> && std::integral<Last>;
  static constexpr bool kHasMap = std::invocable<Map&, Index> || ReduceChunk<Map, Index, T>;
  static constexpr bool kHasOp = !kHasMap || IsReduceMap<Map, Index, T, Op>::value;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
JOBS_REFUSE_OTHER_CALLS(parallel_reduce,
                        "takes (first, last, identity, op, map) for indices, (range, identity, op) "
                        "or (range, identity, op, fold), and at last a jobs::Grain")
JOBS_REFUSE_OTHER_CALLS(parallel_transform_reduce,
                        "takes (range, identity, op, map), with op(T, T) and map(element); for "
                        "indices, write parallel_reduce(first, last, identity, op, map)")
template <class First, class Last, class T, class Op, class Map, class... Rest>
  requires(std::is_arithmetic_v<First> && std::is_arithmetic_v<Last> &&
           !(detail::IndexReduceCheck<First, Last, T, Op, Map>::kIntegers &&
             detail::IndexReduceCheck<First, Last, T, Op, Map>::kHasMap &&
             detail::IndexReduceCheck<First, Last, T, Op, Map>::kHasOp))
auto parallel_reduce(First, Last, T, Op&&, Map&&, Rest&&...) {
  using Check = detail::IndexReduceCheck<First, Last, T, Op, Map>;
  static_assert(Check::kIntegers, "jobs::parallel_reduce: first and last must be integers");
  static_assert(!Check::kIntegers || Check::kHasMap,
                "jobs::parallel_reduce: map, after op, must be callable as map(index), or as "
                "map(begin, end) for a T, where T is the type of the identity; the order is "
                "(first, last, identity, op, map)");
  static_assert(!Check::kIntegers || Check::kHasOp,
                "jobs::parallel_reduce: op, before map, must be callable as op(T, T) and as op(T, "
                "map(index)), and return a T, where T is the type of the identity; the order is "
                "(first, last, identity, op, map)");
  return detail::Anything();
}
template <std::ranges::random_access_range R, class T, class Op, class Fold, class... Rest>
  requires(!detail::ReduceFold<Fold, T, std::ranges::range_reference_t<R>>)
auto parallel_reduce(R&&, T, Op&&, Fold&&, Rest&&...) {
  static_assert(detail::kNever<R>,
                "jobs::parallel_reduce: fold must be callable as fold(T, element) for a T, where T "
                "is the type of the identity, the second argument; "
                "jobs::parallel_transform_reduce takes a map(element)");
  return detail::Anything();
}
JOBS_REFUSE_OTHER_RANGES(parallel_reduce)
JOBS_REFUSE_OTHER_RANGES(parallel_transform_reduce)
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
