// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_find_if(), parallel_find(): the first matching element. parallel_any_of(),
// parallel_all_of(), parallel_none_of(): whether elements match.
//
//   const auto bad = jobs::parallel_find_if(samples, [](double x) { return !std::isfinite(x); });
//
// Any thread may call them. They stop early: after a match, workers start no part behind it and
// only finish the parts that they have begun.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/integers.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

namespace find_order {
// A number that publishes nothing else; the join of the loop orders the last load.
JOBS_ORDER(kBest, relaxed);
}  // namespace find_order

// Returns the index of the first match in [first, first + n), or n. `search(begin, end)` returns
// the first match of a part, or `end`.
template <class It, class Search>
std::size_t find_first(WorkerContext& context, It first, std::size_t n, const Search& search) {
  Atomic<std::size_t> best{n};
  for_each_part(context, n, [&](std::size_t begin, std::size_t end) {
    if (begin >= best.load(find_order::kBest)) return;
    using Distance = std::iter_difference_t<It>;
    const It last = first + static_cast<Distance>(end);
    const It found = search(first + static_cast<Distance>(begin), last);
    if (found == last) return;
    const auto index = static_cast<std::size_t>(found - first);
    std::size_t seen = best.load(find_order::kBest);
    while (index < seen && !best.compare_exchange_weak(seen, index, find_order::kBest)) {
    }
  });
  return best.load(find_order::kBest);
}

// Returns the iterator of the range to the first match, or its end.
template <class R, class Search>
std::ranges::borrowed_iterator_t<R> find_place(R&& range, const Search& search) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  const std::size_t found = with_context(
      [&](WorkerContext& context) { return find_first(context, unwrap(begin), n, search); });
  return begin + static_cast<std::ranges::range_difference_t<R>>(found);
}

template <class R, class Predicate, class Projection>
concept Searchable =
    std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::indirect_unary_predicate<Predicate,
                                  std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Finds the first element that satisfies a predicate.
///
/// Several workers call `predicate` and `projection` concurrently. An exception of the predicate is
/// rethrown if a worker meets it, even behind an earlier match.
///
/// @snippet algorithms.cpp find
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to search
/// @param predicate  returns true for a match
/// @param projection  applied to an element before the predicate
/// @returns the first match, or the end of the range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n) calls of the predicate, few of them behind the first match; no allocation
/// @thread_safety any thread or fiber, concurrently
template <class R, class Predicate, class Projection = std::identity>
  requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find_if(R&& range, Predicate predicate,
                                                                   Projection projection = {}) {
  auto holds = [&](auto&& element) -> bool {
    return std::invoke(predicate, std::invoke(projection, element));
  };
  return detail::find_place(std::forward<R>(range), [&](auto first, auto last) {
    // std::find_if() is unrolled, but does not take iterators of C++20 alone, such as those of a
    // std::views::iota() of 64 bits.
    using Category = typename std::iterator_traits<decltype(first)>::iterator_category;
    if constexpr (std::derived_from<Category, std::input_iterator_tag>) {
      return std::find_if(first, last, std::ref(holds));
    } else {
      return std::ranges::find_if(first, last, std::ref(holds));
    }
  });
}

/// Finds the first element that equals a value.
///
/// Contiguous integers are searched by vector instructions. Otherwise the same as
/// parallel_find_if().
///
/// @tparam R  random access range
/// @tparam T  type that compares with a projected element by ==
/// @tparam Projection  function from an element to the operand of ==
/// @param range  elements to search
/// @param value  value to find
/// @param projection  applied to an element before the comparison
/// @returns the first element with an equal projection, or the end of the range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n) comparisons, few of them behind the first match; no allocation
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class T, class Projection = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find(R&& range, const T& value,
                                                                Projection projection = {}) {
  using Pointer = decltype(detail::unwrap(std::ranges::begin(range)));
  if constexpr (detail::Integers<Pointer> && std::same_as<std::ranges::range_value_t<R>, T> &&
                std::same_as<Projection, std::identity>) {
    return detail::find_place(std::forward<R>(range), [value](Pointer first, Pointer last) {
      return first + (detail::find_value<T>(first, last, value) - first);
    });
  } else {
    return parallel_find_if(
        std::forward<R>(range), [&value](const auto& x) -> bool { return x == value; },
        std::move(projection));
  }
}

/// Checks whether at least one element satisfies a predicate.
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to search
/// @param predicate  condition
/// @param projection  applied to an element before the predicate
/// @returns true if an element satisfies the predicate; false for an empty range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity as parallel_find_if()
/// @thread_safety any thread or fiber, concurrently
template <class R, class Predicate, class Projection = std::identity>
  requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_any_of(R&& range, Predicate predicate, Projection projection = {}) {
  return parallel_find_if(range, std::move(predicate), std::move(projection)) !=
         std::ranges::end(range);
}
/// Checks whether all elements satisfy a predicate.
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to search
/// @param predicate  condition
/// @param projection  applied to an element before the predicate
/// @returns true if each element satisfies the predicate, or if the range is empty
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity as parallel_find_if()
/// @thread_safety any thread or fiber, concurrently
template <class R, class Predicate, class Projection = std::identity>
  requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_all_of(R&& range, Predicate predicate, Projection projection = {}) {
  return !parallel_any_of(range, std::not_fn(std::move(predicate)), std::move(projection));
}
/// Checks whether no element satisfies a predicate.
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to search
/// @param predicate  condition
/// @param projection  applied to an element before the predicate
/// @returns true if no element satisfies the predicate, or if the range is empty
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity as parallel_find_if()
/// @thread_safety any thread or fiber, concurrently
template <class R, class Predicate, class Projection = std::identity>
  requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_none_of(R&& range, Predicate predicate, Projection projection = {}) {
  return !parallel_any_of(range, std::move(predicate), std::move(projection));
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_find)
JOBS_REFUSE_OTHER_RANGES(parallel_find_if)
JOBS_REFUSE_OTHER_RANGES(parallel_any_of)
JOBS_REFUSE_OTHER_RANGES(parallel_all_of)
JOBS_REFUSE_OTHER_RANGES(parallel_none_of)
JOBS_REFUSE_OTHER_PREDICATES(parallel_find_if)
JOBS_REFUSE_OTHER_PREDICATES(parallel_any_of)
JOBS_REFUSE_OTHER_PREDICATES(parallel_all_of)
JOBS_REFUSE_OTHER_PREDICATES(parallel_none_of)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
