// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_find_if, parallel_find: the first element that is sought. parallel_any_of, parallel_all_of, parallel_none_of: whether
// there is one.
//
//   const auto bad = jobs::parallel_find_if(samples, [](double x) { return !std::isfinite(x); });
//
// Any thread may call them, as parallel_for. They stop early: what can not change the answer is not looked at any more, except
// for what workers look at just then.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/integers.hpp"
#include "jobs/algorithm/order.hpp"
#include "jobs/algorithm/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

namespace find_order {
JOBS_ORDER(kBest, relaxed);  // a number that stands for itself; the join of the loop orders the last look
}  // namespace find_order

// The index of the first of [first, first + n) that `search(begin, end)` finds, which returns `end` if there is none; or n.
template <class It, class Search>
std::size_t find_first(Lane& lane, It first, std::size_t n, const Search& search) {
  Atomic<std::size_t> best{n};
  for_each_part(lane, n, [&](std::size_t begin, std::size_t end) {
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

template <class R, class Search>
std::ranges::borrowed_iterator_t<R> find_place(R&& range, const Search& search) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  const std::size_t found = with_lane([&](Lane& lane) { return find_first(lane, unwrap(begin), n, search); });
  return begin + static_cast<std::ranges::range_difference_t<R>>(found);
}

template <class R, class Predicate, class Projection>
concept Searchable = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::indirect_unary_predicate<Predicate, std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail

JOBS_OF_MODE_BEGIN

// The first element whose projection satisfies the predicate, or the end. O(n) calls, of which few beyond the first match are
// made. An exception of the predicate is rethrown if it is met, even if there is an earlier match. No allocation.
template <class R, class Predicate, class Projection = std::identity>
requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find_if(R&& range, Predicate predicate,
                                                                   Projection projection = {}) {
  auto holds = [&](auto&& element) -> bool { return std::invoke(predicate, std::invoke(projection, element)); };
  return detail::find_place(std::forward<R>(range),
                            [&](auto first, auto last) { return std::find_if(first, last, std::ref(holds)); });
}

// The first element whose projection equals `value`, or the end. Among integers that lie side by side, a vector at a time.
template <std::ranges::random_access_range R, class T, class Projection = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find(R&& range, const T& value, Projection projection = {}) {
  using Pointer = decltype(detail::unwrap(std::ranges::begin(range)));
  if constexpr (detail::Integers<Pointer> && std::same_as<std::ranges::range_value_t<R>, T> &&
                std::same_as<Projection, std::identity>) {
    return detail::find_place(std::forward<R>(range), [value](Pointer first, Pointer last) {
      return first + (detail::find_value<T>(first, last, value) - first);
    });
  } else {
    return parallel_find_if(
        std::forward<R>(range), [&value](const auto& x) -> bool { return x == value; }, std::move(projection));
  }
}

// Whether the predicate holds for any, for all, for none of the elements. As parallel_find_if; an empty range has none.
template <class R, class Predicate, class Projection = std::identity>
requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_any_of(R&& range, Predicate predicate, Projection projection = {}) {
  return parallel_find_if(range, std::move(predicate), std::move(projection)) != std::ranges::end(range);
}
template <class R, class Predicate, class Projection = std::identity>
requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_all_of(R&& range, Predicate predicate, Projection projection = {}) {
  return !parallel_any_of(range, std::not_fn(std::move(predicate)), std::move(projection));
}
template <class R, class Predicate, class Projection = std::identity>
requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] bool parallel_none_of(R&& range, Predicate predicate, Projection projection = {}) {
  return !parallel_any_of(range, std::move(predicate), std::move(projection));
}

// Wrong calls.
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
