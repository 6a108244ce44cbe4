// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_partition(): moves the elements that satisfy a predicate to the front.
// parallel_nth_element(): moves the n-th smallest element to its sorted position, smaller elements
// before it and larger ones behind it.
//
//   const auto asleep = jobs::parallel_partition(bodies, &Body::is_awake);
//   jobs::parallel_nth_element(times, times.begin() + times.size() / 2);
//
// Any thread may call them. The resulting order is the same for any number of workers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/divide.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/algorithm/sort.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Quickselect: quicksort that continues on one side only. Uses the parallel division while the rest
// is long enough.
template <class It, class Before>
void select(WorkerContext& context, It first, It nth, It last, const Before& before) {
  auto depth_limit = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(last - first)));
  while (static_cast<std::size_t>(last - first) >= kDivideTogether && depth_limit-- > 0) {
    using T = std::iter_value_t<It>;
    std::iter_swap(first, choose_pivot(first, static_cast<std::size_t>(last - first), before));
    const auto divide_by = [&](const auto& holds) {
      return divide(context, first + 1, last, holds);
    };
    const T& pivot = *first;
    const It middle = divide_by([&](const T& x) { return before(x, pivot); }) - 1;
    std::iter_swap(first, middle);
    if (nth < middle) {
      last = middle;
    } else {
      // Elements that equal the pivot are in place, too. Without this step, each different key
      // could cost n.
      const T& boundary = *middle;
      first = divide(context, middle + 1, last, [&](const T& x) { return !before(boundary, x); });
      if (nth < first) return;
    }
  }
  std::nth_element(first, nth, last, before);
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Moves the elements that satisfy a predicate to the front of the range.
///
/// Not stable, but the result is the same for any number of workers. Several workers call
/// `predicate` and `projection` concurrently. If one of them throws, the range holds all of its
/// elements in some order.
///
/// @snippet algorithms.cpp partition
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to partition
/// @param predicate  returns true for each element that goes to the front
/// @param projection  applied to an element before the predicate
/// @returns the end of the elements that satisfy the predicate
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n), at most n + 64 calls of the predicate for each of 64 blocks; in place, no
///   allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Predicate, class Projection = std::identity>
  requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
           std::indirect_unary_predicate<Predicate,
                                         std::projected<std::ranges::iterator_t<R>, Projection>>
std::ranges::borrowed_iterator_t<R> parallel_partition(R&& range, Predicate predicate,
                                                       Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = std::ranges::ssize(range);
  const auto first = detail::unwrap(begin);
  const auto holds = [&](auto&& element) -> bool {
    return std::invoke(predicate, std::invoke(projection, element));
  };
  return begin + detail::with_context([&](detail::WorkerContext& context) {
           return detail::divide(context, first, first + n, holds) - first;
         });
}

/// Moves the element that a sort would put at `nth` to this position.
///
/// No element before `nth` comes after it by `compare`, and no element behind it comes before it.
/// If `nth` is the end of the range, nothing happens. Several workers call `compare` and
/// `projection` concurrently. If one of them throws, the range holds all of its elements in some
/// order.
///
/// @snippet algorithms.cpp nth_element
///
/// Source: C. A. R. Hoare, "Algorithm 65: find", Communications of the ACM 4(7), 1961.
///
/// @tparam R  sized random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to rearrange
/// @param nth  position in the range, or its end
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n) on average, O(n log n) at worst; in place, no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::ranges::sized_range<R> &&
           std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void parallel_nth_element(R&& range, std::ranges::iterator_t<R> nth, Compare compare = {},
                          Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = std::ranges::ssize(range);
  const auto offset = nth - begin;
  if (offset == n) return;
  const auto first = detail::unwrap(begin);
  const detail::Before<Compare, Projection> before{compare, projection};
  detail::with_context([&](detail::WorkerContext& context) {
    detail::select(context, first, first + offset, first + n, before);
  });
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_partition)
JOBS_REFUSE_OTHER_RANGES(parallel_nth_element)
JOBS_REFUSE_OTHER_PREDICATES(parallel_partition)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
