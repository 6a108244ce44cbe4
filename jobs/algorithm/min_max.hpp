// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_min_element, parallel_max_element, parallel_minmax_element: where the extremes are.
//
//   const auto cheapest = jobs::parallel_min_element(offers, {}, &Offer::price);
//
// Any thread may call them, as parallel_for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

// The best of [first, first + n), as `best(begin, end)` finds it, for a range and then for the winners of the blocks.
// `better(a, b)`: b beats the earlier a. pre: n > 0.
template <class It, class Best, class Better>
It find_extreme(Lane& lane, It first, std::size_t n, const Best& best, const Better& better) {
  constexpr std::size_t kBlocks = 256;
  using Distance = std::iter_difference_t<It>;
  const Blocks blocks(n, kBlocks, 1024);
  std::array<std::size_t, kBlocks> winners;
  for_each_index(lane, blocks.count(), [&](std::size_t block) {
    const It begin = first + static_cast<Distance>(blocks.begin(block));
    winners[block] = static_cast<std::size_t>(best(begin, first + static_cast<Distance>(blocks.end(block))) - first);
  });
  It winner = first + static_cast<Distance>(winners[0]);
  for (std::size_t block = 1; block < blocks.count(); ++block) {
    const It challenger = first + static_cast<Distance>(winners[block]);
    if (better(*winner, *challenger)) winner = challenger;
  }
  return winner;
}

// The best of a range: best(begin, end, before) and better(before, a, b) as for find_extreme(). The end of an empty one.
template <class R, class Compare, class Projection, class Best, class Better>
std::ranges::borrowed_iterator_t<R> extreme_element(R&& range, Compare& compare, Projection& projection,
                                                    const Best& best, const Better& better) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n == 0) return begin;
  const Before<Compare, Projection> before{compare, projection};
  return with_lane([&](Lane& lane) {
    return find_extreme(
        lane, begin, n, [&](auto first, auto last) { return best(first, last, before); },
        [&](auto&& a, auto&& b) { return better(before, a, b); });
  });
}

template <class R, class Compare, class Projection>
concept Comparable = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::indirect_strict_weak_order<Compare, std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail

// The first of the smallest elements, or the end of an empty range. O(n): n - 1 comparisons. Exceptions as parallel_for. No
// allocation.
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_min_element(R&& range, Compare compare = {},
                                                                       Projection projection = {}) {
  return detail::extreme_element(
      range, compare, projection,
      [](auto first, auto last, const auto& before) { return std::min_element(first, last, before); },
      [](const auto& before, auto&& a, auto&& b) { return before(b, a); });
}

// The first of the largest elements. As parallel_min_element.
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_max_element(R&& range, Compare compare = {},
                                                                       Projection projection = {}) {
  return detail::extreme_element(
      range, compare, projection,
      [](auto first, auto last, const auto& before) { return std::max_element(first, last, before); },
      [](const auto& before, auto&& a, auto&& b) { return before(a, b); });
}

// The first of the smallest and the last of the largest, as std::minmax_element.
template <class R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::Comparable<R, Compare, Projection>
[[nodiscard]] auto parallel_minmax_element(R&& range, Compare compare = {}, Projection projection = {})
    -> std::ranges::min_max_result<std::ranges::borrowed_iterator_t<R>> {
  return {parallel_min_element(range, std::ref(compare), std::ref(projection)),
          detail::extreme_element(
              range, compare, projection,
              [](auto first, auto last, const auto& before) {
                auto largest = first;
                for (; first != last; ++first) {
                  if (!before(*first, *largest)) largest = first;
                }
                return largest;
              },
              [](const auto& before, auto&& a, auto&& b) { return !before(b, a); })};
}

}  // namespace jobs::inline JOBS_ABI
