// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_min_element(), parallel_max_element(), parallel_minmax_element(): find the extremes of a
// range.
//
//   const auto cheapest = jobs::parallel_min_element(offers, {}, &Offer::price);
//
// Any thread may call them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/integers.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

enum class Extreme : std::uint8_t { kFirstSmallest, kFirstLargest, kLastLargest };

// Returns true if `challenger` replaces `best`, which comes before it.
template <Extreme kWhich, class Before, class T, class U>
bool beats(const Before& before, T&& challenger, U&& best) {
  if constexpr (kWhich == Extreme::kFirstSmallest) return before(challenger, best);
  if constexpr (kWhich == Extreme::kFirstLargest) return before(best, challenger);
  if constexpr (kWhich == Extreme::kLastLargest) return !before(challenger, best);
}

// Returns the extreme of [first, last). pre of both overloads: first != last.
template <Extreme kWhich, class It, class Before>
It extreme_of(It first, It last, const Before& before) {
  It best = first;
  while (++first != last) {
    if (beats<kWhich>(before, *first, *best)) best = first;
  }
  return best;
}
// The first pass leaves a block in the cache, so two passes without branches are faster than one
// pass with branches.
template <Extreme kWhich, class It, class Compare>
  requires Integers<It> && kIsLess<Compare>
It extreme_of(It first, It last, const Before<Compare, std::identity>&) {
  if constexpr (kWhich == Extreme::kFirstSmallest)
    return first + (find_value(first, last, smallest_value(first, last)) - first);
  if constexpr (kWhich == Extreme::kFirstLargest)
    return first + (find_value(first, last, largest_value(first, last)) - first);
  if constexpr (kWhich == Extreme::kLastLargest)
    return first + (find_last_value(first, last, largest_value(first, last)) - first);
}

// Returns the indices of the extremes of [first, first + n), in the order of kWhich. pre: n > 0.
template <Extreme... kWhich, class It, class Before>
std::array<std::size_t, sizeof...(kWhich)> find_extremes(WorkerContext& context, It first,
                                                         std::size_t n, const Before& before) {
  constexpr std::size_t kBlocks = 256;
  const Blocks blocks(n, kBlocks, 1024);
  using Indices = std::array<std::size_t, sizeof...(kWhich)>;
  std::array<Indices, kBlocks> winners;
  const auto at = [first](std::size_t index) {
    return first + static_cast<std::iter_difference_t<It>>(index);
  };
  for_each_index(context, blocks.count(), [&](std::size_t block) {
    const It begin = at(blocks.begin(block));
    const It end = at(blocks.end(block));
    winners[block] =
        Indices{static_cast<std::size_t>(extreme_of<kWhich>(begin, end, before) - first)...};
  });
  Indices best = winners[0];
  for (std::size_t block = 1; block < blocks.count(); ++block) {
    std::size_t i = 0;
    const auto challenge = [&]<Extreme kOne>(std::integral_constant<Extreme, kOne>) {
      if (beats<kOne>(before, *at(winners[block][i]), *at(best[i]))) best[i] = winners[block][i];
      ++i;
    };
    (challenge(std::integral_constant<Extreme, kWhich>()), ...);
  }
  return best;
}

// Returns iterators to the extremes of a range, or its end if it is empty.
template <Extreme... kWhich, class R, class Compare, class Projection>
auto extreme_elements(R&& range, Compare& compare, Projection& projection) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  std::array<std::size_t, sizeof...(kWhich)> found{};
  if (n != 0) {
    found = with_context([&](WorkerContext& context) {
      return find_extremes<kWhich...>(context, unwrap(begin), n,
                                      Before<Compare, Projection>{compare, projection});
    });
  }
  std::array<std::ranges::borrowed_iterator_t<R>, sizeof...(kWhich)> places;
  std::transform(found.begin(), found.end(), places.begin(), [&](std::size_t index) {
    return begin + static_cast<std::ranges::range_difference_t<R>>(index);
  });
  return places;
}

template <class R, class Compare, class Projection>
concept Comparable =
    std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Finds the first of the smallest elements.
///
/// Several workers call `compare` and `projection` concurrently. Contiguous integers that are
/// compared by `less` are read twice, by vector instructions.
///
/// @snippet algorithms.cpp min_max
///
/// @tparam R  sized random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to search
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element
/// @returns the first of the smallest elements, or the end of an empty range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n): n - 1 comparisons; no allocation
/// @thread_safety any thread or fiber, concurrently
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
  requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_min_element(R&& range,
                                                                       Compare compare = {},
                                                                       Projection projection = {}) {
  return detail::extreme_elements<detail::Extreme::kFirstSmallest>(std::forward<R>(range), compare,
                                                                   projection)[0];
}

/// Finds the first of the largest elements.
///
/// @tparam R  sized random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to search
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element
/// @returns the first of the largest elements, or the end of an empty range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n): n - 1 comparisons; no allocation
/// @thread_safety any thread or fiber, concurrently
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
  requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_max_element(R&& range,
                                                                       Compare compare = {},
                                                                       Projection projection = {}) {
  return detail::extreme_elements<detail::Extreme::kFirstLargest>(std::forward<R>(range), compare,
                                                                  projection)[0];
}

/// Finds the first of the smallest and the last of the largest elements.
///
/// The choice among equal elements is the one of `std::minmax_element`.
///
/// @tparam R  sized random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to search
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element
/// @returns both iterators, or twice the end of an empty range
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n): 2 n - 2 comparisons; no allocation
/// @thread_safety any thread or fiber, concurrently
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
  requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] auto parallel_minmax_element(R&& range, Compare compare = {},
                                           Projection projection = {})
    -> std::ranges::min_max_result<std::ranges::borrowed_iterator_t<R>> {
  using detail::Extreme;
  const auto [smallest, largest] =
      detail::extreme_elements<Extreme::kFirstSmallest, Extreme::kLastLargest>(
          std::forward<R>(range), compare, projection);
  return {smallest, largest};
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_min_element)
JOBS_REFUSE_OTHER_RANGES(parallel_max_element)
JOBS_REFUSE_OTHER_RANGES(parallel_minmax_element)
JOBS_REFUSE_OTHER_ORDERS(parallel_min_element)
JOBS_REFUSE_OTHER_ORDERS(parallel_max_element)
JOBS_REFUSE_OTHER_ORDERS(parallel_minmax_element)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
