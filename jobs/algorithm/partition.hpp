// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_partition: those that satisfy a predicate go in front of the others. parallel_nth_element: puts the n-th smallest
// element into its place, what is smaller in front of it and the others behind.
//
//   const auto asleep = jobs::parallel_partition(bodies, &Body::is_awake);
//   jobs::parallel_nth_element(times, times.begin() + times.size() / 2);
//
// Any thread may call them, as parallel_for. The order that results is the same for any number of workers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/divide.hpp"
#include "jobs/algorithm/order.hpp"
#include "jobs/algorithm/sort.hpp"
#include "jobs/algorithm/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Quickselect: quicksort that goes on with one side only, by the parallel step as long as there is much to divide.
template <class It, class Before>
void select(Lane& lane, It first, It nth, It last, const Before& before) {
  auto patience = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(last - first)));
  while (static_cast<std::size_t>(last - first) >= kDivideTogether && patience-- > 0) {
    using T = std::iter_value_t<It>;
    std::iter_swap(first, choose_pivot(first, static_cast<std::size_t>(last - first), before));
    const auto divide_by = [&](const auto& holds) { return divide(lane, first + 1, last, holds); };
    const T& pivot = *first;
    const It middle = divide_by([&](const T& x) { return before(x, pivot); }) - 1;
    std::iter_swap(first, middle);
    if (nth < middle) {
      last = middle;
    } else {
      // What equals the pivot is in place, too: few different elements must not cost n for each of them.
      const T& boundary = *middle;
      first = divide(lane, middle + 1, last, [&](const T& x) { return !before(boundary, x); });
      if (nth < first) return;
    }
  }
  std::nth_element(first, nth, last, before);
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Puts the elements whose projection satisfies the predicate first; returns the end of them. Not stable, but always the same. O(n),
// at most n + 64 calls of the predicate for each of 64 blocks, on several workers at the same time. In place, no allocation.
// Exceptions as parallel_for; the elements are in some order then, none lost.
template <std::ranges::random_access_range R, class Predicate, class Projection = std::identity>
requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
    std::indirect_unary_predicate<Predicate, std::projected<std::ranges::iterator_t<R>, Projection>>
        std::ranges::borrowed_iterator_t<R> parallel_partition(R&& range, Predicate predicate,
                                                               Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = std::ranges::ssize(range);
  const auto first = detail::unwrap(begin);
  const auto holds = [&](auto&& element) -> bool { return std::invoke(predicate, std::invoke(projection, element)); };
  return begin +
         detail::with_lane([&](detail::Lane& lane) { return detail::divide(lane, first, first + n, holds) - first; });
}

// post: *nth is the element that a sort would put there, none before it is after it by `compare`, and none behind it is before it.
// `nth` may be the end: then nothing happens. O(n) on average and O(n log n) at worst. In place, no allocation. Exceptions as
// parallel_partition.
//
// Source: C. A. R. Hoare, "Algorithm 65: find", Communications of the ACM 4(7), 1961.
template <std::ranges::random_access_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires std::ranges::sized_range<R> && std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void parallel_nth_element(R&& range, std::ranges::iterator_t<R> nth, Compare compare = {}, Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = std::ranges::ssize(range);
  const auto offset = nth - begin;
  if (offset == n) return;
  const auto first = detail::unwrap(begin);
  const detail::Before<Compare, Projection> before{compare, projection};
  detail::with_lane([&](detail::Lane& lane) { detail::select(lane, first, first + offset, first + n, before); });
}

// Wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_partition)
JOBS_REFUSE_OTHER_RANGES(parallel_nth_element)
JOBS_REFUSE_OTHER_PREDICATES(parallel_partition)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
