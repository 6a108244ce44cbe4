// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_unique: keeps the first of each run of equal elements. parallel_remove_if: keeps what does not satisfy a predicate. In
// place and in order; what is left over at the end is for the caller to erase.
//
//   jobs::parallel_sort(names);
//   names.erase(jobs::parallel_unique(names), names.end());
//
// Any thread may call them, as parallel_for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"
#include "jobs/algorithm/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// keep(begin, end) packs what is to stay of a block to its front and returns the end of that; then the blocks move together, one
// after the other: that takes what the memory takes. Returns how many stay.
template <class It, class Keep>
std::size_t pack(Lane& lane, It first, std::size_t n, const Keep& keep) {
  constexpr std::size_t kBlocks = 256;
  using Distance = std::iter_difference_t<It>;
  const auto at = [first](std::size_t i) { return first + static_cast<Distance>(i); };
  const Blocks blocks(n, kBlocks, 4096);
  std::array<std::size_t, kBlocks> ends;
  for_each_index(lane, blocks.count(), [&](std::size_t block) {
    ends[block] = static_cast<std::size_t>(keep(block, at(blocks.begin(block)), at(blocks.end(block))) - first);
  });
  std::size_t end = ends[0];
  for (std::size_t block = 1; block < blocks.count(); ++block) {
    const std::size_t begin = blocks.begin(block);
    if (end != begin) std::move(at(begin), at(ends[block]), at(end));
    end += ends[block] - begin;
  }
  return end;
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Keeps the first of each run of elements whose projections are equal; returns the end of what is kept. The elements behind it
// have any value. O(n): n - 1 comparisons, each of two neighbours or of an element and the first of its run, so `equal` must be
// an equivalence. In place, no allocation. If `equal` or `projection` throws, the elements that are left are in any state.
template <std::ranges::random_access_range R, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
    std::indirect_equivalence_relation<Equal, std::projected<std::ranges::iterator_t<R>, Projection>>
        std::ranges::borrowed_iterator_t<R> parallel_unique(R&& range, Equal equal = {}, Projection projection = {}) {
  using Distance = std::ranges::range_difference_t<R>;
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n == 0) return begin;
  const auto first = detail::unwrap(begin);
  const auto same = [&](auto&& a, auto&& b) -> bool {
    return std::invoke(equal, std::invoke(projection, a), std::invoke(projection, b));
  };
  const std::size_t kept = detail::with_lane([&](detail::Lane& lane) {
    // Whether a block continues the run of its predecessor, before either is touched.
    const detail::Blocks blocks(n, 256, 4096);
    std::array<bool, 256> continues;
    for (std::size_t block = 1; block < blocks.count(); ++block) {
      const auto next = first + static_cast<Distance>(blocks.begin(block));
      continues[block] = same(*(next - 1), *next);
    }
    return detail::pack(lane, first, n, [&](std::size_t block, auto from, auto to) {
      auto end = std::unique(from, to, same);
      if (block > 0 && continues[block]) end = std::move(from + 1, end, from);
      return end;
    });
  });
  return begin + static_cast<Distance>(kept);
}

// Keeps the elements whose projections do not satisfy the predicate, in order; returns the end of what is kept. The elements
// behind it have any value. O(n): n calls of the predicate, on several workers at the same time. In place, no allocation. If it
// throws, the elements that are left are in any state.
template <std::ranges::random_access_range R, class Predicate, class Projection = std::identity>
requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
    std::indirect_unary_predicate<Predicate, std::projected<std::ranges::iterator_t<R>, Projection>>
        std::ranges::borrowed_iterator_t<R> parallel_remove_if(R&& range, Predicate predicate,
                                                               Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n == 0) return begin;
  const auto goes = [&](auto&& element) -> bool { return std::invoke(predicate, std::invoke(projection, element)); };
  const std::size_t kept = detail::with_lane([&](detail::Lane& lane) {
    return detail::pack(lane, detail::unwrap(begin), n,
                        [&](std::size_t, auto from, auto to) { return std::remove_if(from, to, goes); });
  });
  return begin + static_cast<std::ranges::range_difference_t<R>>(kept);
}

// Wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_unique)
JOBS_REFUSE_OTHER_RANGES(parallel_remove_if)
JOBS_REFUSE_OTHER_PREDICATES(parallel_remove_if)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
