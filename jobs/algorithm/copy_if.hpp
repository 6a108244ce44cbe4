// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_copy_if(): copies the elements that satisfy a predicate, in their order.
//
//   errors.resize(lines.size());
//   errors.erase(jobs::parallel_copy_if(lines, errors.begin(), is_error), errors.end());
//
// Any thread may call it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Pass 1 calls the predicate once per element and stores one bit per element. Then the position of
// the first output element of each block is known, and pass 2 copies. Returns the number of copied
// elements.
template <class In, class Out, class Predicate>
std::size_t copy_chosen(WorkerContext& context, In in, std::size_t n, Out out, Predicate& holds) {
  constexpr std::size_t kBlocks = 256;
  constexpr std::size_t kWord = 64;
  const std::size_t words = (n + kWord - 1) / kWord;
  const Blocks blocks(words, kBlocks, 64);
  const HeapBuffer<std::uint64_t> chosen(words);
  std::array<std::size_t, kBlocks> places;
  const auto element = [in](std::size_t i) -> decltype(auto) {
    return in[static_cast<std::iter_difference_t<In>>(i)];
  };
  for_each_index(context, blocks.count(), [&](std::size_t block) {
    std::size_t count = 0;
    for (std::size_t word = blocks.begin(block); word < blocks.end(block); ++word) {
      std::uint64_t bits = 0;
      const std::size_t size = std::min(kWord, n - word * kWord);
      for (std::size_t i = 0; i < size; ++i)
        bits |= std::uint64_t{holds(element(word * kWord + i))} << i;
      chosen[word] = bits;
      count += static_cast<std::size_t>(std::popcount(bits));
    }
    places[block] = count;
  });
  std::size_t total = 0;
  for (std::size_t block = 0; block < blocks.count(); ++block)
    total += std::exchange(places[block], total);
  for_each_index(context, blocks.count(), [&](std::size_t block) {
    Out to = out + static_cast<std::iter_difference_t<Out>>(places[block]);
    for (std::size_t word = blocks.begin(block); word < blocks.end(block); ++word) {
      for (std::uint64_t bits = chosen[word]; bits != 0; bits &= bits - 1, ++to) {
        *to = element(word * kWord + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  });
  return total;
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Copies the elements that satisfy a predicate to `out`, in their order.
///
/// Several workers call `predicate` and `projection` concurrently, once per element. If one of them
/// throws, the output holds some of the elements.
///
/// @snippet algorithms.cpp copy_if
///
/// Source: G. Blelloch, "Prefix sums and their applications", 1990 (pack).
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam Predicate  function from a projected element to bool
/// @tparam Projection  function from an element to the argument of the predicate
/// @param range  input
/// @param out  begin of the output, which must not overlap the input
/// @param predicate  returns true for each element that is copied
/// @param projection  applied to an element before the predicate
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @throws std::bad_alloc if there is no memory for n bits; only from 4096 elements on
/// @complexity O(n): n calls of the predicate; memory for n bits from 4096 elements on
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <std::ranges::random_access_range R, std::random_access_iterator Out, class Predicate,
          class Projection = std::identity>
  requires std::ranges::sized_range<R> &&
           std::indirectly_copyable<std::ranges::iterator_t<R>, Out> &&
           std::indirect_unary_predicate<Predicate,
                                         std::projected<std::ranges::iterator_t<R>, Projection>>
Out parallel_copy_if(R&& range, Out out, Predicate predicate, Projection projection = {}) {
  constexpr std::size_t kAlone = 4096;
  const auto in = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  auto holds = [&](auto&& element) -> bool {
    return std::invoke(predicate, std::invoke(projection, element));
  };
  return detail::with_context([&](detail::WorkerContext& context) -> Out {
    if (n < kAlone || !context.has_thieves()) {
      return std::copy_if(in, in + static_cast<std::ranges::range_difference_t<R>>(n), out, holds);
    }
    return out + static_cast<std::iter_difference_t<Out>>(
                     detail::copy_chosen(context, in, n, out, holds));
  });
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_CALLS(parallel_copy_if,
                        "takes (range, out, predicate), with predicate(element)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_RANGES(parallel_copy_if)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
