// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_unique(): keeps the first of each run of equal elements. parallel_remove_if(): keeps the
// elements that do not satisfy a predicate. Both work in place and keep the order; the caller
// erases the rest at the end.
//
//   jobs::parallel_sort(names);
//   names.erase(jobs::parallel_unique(names), names.end());
//
// Any thread may call them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Packs the elements that stay to the front of the range and returns their number. `keep(block,
// begin, end)` packs one block and returns the end of its kept elements; workers run it in
// parallel. Then the calling thread moves the blocks together, one after the other, at the speed of
// the memory.
template <class It, class Keep>
std::size_t pack(WorkerContext& context, It first, std::size_t n, const Keep& keep) {
  constexpr std::size_t kBlocks = 256;
  using Distance = std::iter_difference_t<It>;
  const auto at = [first](std::size_t i) { return first + static_cast<Distance>(i); };
  const Blocks blocks(n, kBlocks, 4096);
  std::array<std::size_t, kBlocks> ends;
  for_each_index(context, blocks.count(), [&](std::size_t block) {
    ends[block] = static_cast<std::size_t>(
        keep(block, at(blocks.begin(block)), at(blocks.end(block))) - first);
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

/// Keeps the first of each run of equal elements, in their order.
///
/// The elements behind the returned position have unspecified values. A comparison is of two
/// neighbours, or of an element and the first one of its run: `equal` must be an equivalence.
/// Several workers call `equal` and `projection` concurrently. If one of them throws, the state of
/// the elements is unspecified.
///
/// @snippet algorithms.cpp unique
///
/// @tparam R  sized random access range
/// @tparam Equal  equivalence of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to filter
/// @param equal  returns true if two keys are equal
/// @param projection  returns the key of an element
/// @returns the end of the kept elements
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n): n - 1 comparisons; in place, no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Equal = std::ranges::equal_to,
          class Projection = std::identity>
  requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
           std::indirect_equivalence_relation<
               Equal, std::projected<std::ranges::iterator_t<R>, Projection>>
std::ranges::borrowed_iterator_t<R> parallel_unique(R&& range, Equal equal = {},
                                                    Projection projection = {}) {
  using Distance = std::ranges::range_difference_t<R>;
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n == 0) return begin;
  const auto first = detail::unwrap(begin);
  const auto same = [&](auto&& a, auto&& b) -> bool {
    return std::invoke(equal, std::invoke(projection, a), std::invoke(projection, b));
  };
  const std::size_t kept = detail::with_context([&](detail::WorkerContext& context) {
    // True for a block that continues the run of its predecessor; read before either is changed.
    const detail::Blocks blocks(n, 256, 4096);
    std::array<bool, 256> continues;
    for (std::size_t block = 1; block < blocks.count(); ++block) {
      const auto next = first + static_cast<Distance>(blocks.begin(block));
      continues[block] = same(*(next - 1), *next);
    }
    return detail::pack(context, first, n, [&](std::size_t block, auto from, auto to) {
      auto end = std::unique(from, to, same);
      if (block > 0 && continues[block]) end = std::move(from + 1, end, from);
      return end;
    });
  });
  return begin + static_cast<Distance>(kept);
}

/// Keeps the elements that do not satisfy a predicate, in their order.
///
/// The elements behind the returned position have unspecified values. Several workers call
/// `predicate` and `projection` concurrently. If one of them throws, the state of the elements is
/// unspecified.
///
/// @snippet algorithms.cpp remove_if
///
/// @tparam R  sized random access range
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  elements to filter
/// @param predicate  returns true for each element that is removed
/// @param projection  applied to an element before the predicate
/// @returns the end of the kept elements
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n): n calls of the predicate; in place, no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Predicate, class Projection = std::identity>
  requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
           std::indirect_unary_predicate<Predicate,
                                         std::projected<std::ranges::iterator_t<R>, Projection>>
std::ranges::borrowed_iterator_t<R> parallel_remove_if(R&& range, Predicate predicate,
                                                       Projection projection = {}) {
  const auto begin = std::ranges::begin(range);
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n == 0) return begin;
  const auto goes = [&](auto&& element) -> bool {
    return std::invoke(predicate, std::invoke(projection, element));
  };
  const std::size_t kept = detail::with_context([&](detail::WorkerContext& context) {
    return detail::pack(context, detail::unwrap(begin), n, [&](std::size_t, auto from, auto to) {
      return std::remove_if(from, to, goes);
    });
  });
  return begin + static_cast<std::ranges::range_difference_t<R>>(kept);
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_unique)
JOBS_REFUSE_OTHER_RANGES(parallel_remove_if)
JOBS_REFUSE_OTHER_PREDICATES(parallel_remove_if)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
