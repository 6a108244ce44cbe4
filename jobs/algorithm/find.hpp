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
#include <ranges>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace find_order {
JOBS_ORDER(kBest, relaxed);  // a number that stands for itself; the join of the loop orders the last look
}  // namespace find_order

// The index of the first of [first, first + n) for which `holds`, or n.
template <class It, class Predicate>
std::size_t find_first(Lane& lane, It first, std::size_t n, Predicate& holds) {
  Atomic<std::size_t> best{n};
  for_each_part(lane, n, [&](std::size_t begin, std::size_t end) {
    if (begin >= best.load(find_order::kBest)) return;
    using Distance = std::iter_difference_t<It>;
    const It last = first + static_cast<Distance>(end);
    const It found = std::find_if(first + static_cast<Distance>(begin), last, std::ref(holds));
    if (found == last) return;
    const auto index = static_cast<std::size_t>(found - first);
    std::size_t seen = best.load(find_order::kBest);
    while (index < seen && !best.compare_exchange_weak(seen, index, find_order::kBest)) {
    }
  });
  return best.load(find_order::kBest);
}

template <class R, class Predicate, class Projection>
concept Searchable = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::indirect_unary_predicate<Predicate, std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail

// The first element whose projection satisfies the predicate, or the end. O(n) calls, of which few beyond the first match are
// made. An exception of the predicate is rethrown if it is met, even if there is an earlier match. No allocation.
template <class R, class Predicate, class Projection = std::identity>
requires detail::Searchable<R, Predicate, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find_if(R&& range, Predicate predicate,
                                                                   Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  auto holds = [&](auto&& element) -> bool { return std::invoke(predicate, std::invoke(projection, element)); };
  const std::size_t found =
      detail::with_lane([&](detail::Lane& lane) { return detail::find_first(lane, detail::unwrap(begin), n, holds); });
  return begin + static_cast<std::ranges::range_difference_t<R>>(found);
}

// The first element whose projection equals `value`, or the end.
template <std::ranges::random_access_range R, class T, class Projection = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find(R&& range, const T& value, Projection projection = {}) {
  return parallel_find_if(
      std::forward<R>(range), [&value](const auto& x) -> bool { return x == value; }, std::move(projection));
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

}  // namespace jobs::inline JOBS_ABI
