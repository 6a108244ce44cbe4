// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_histogram(): counts the elements of each bin.
//
//   const auto counts = jobs::parallel_histogram(pixels, 256, [](Pixel p) { return p.grey(); });
//
// Any thread may call it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI {

JOBS_OF_MODE_BEGIN

/// Counts, for each bin, the elements that `bin_of` maps to it.
///
/// @snippet algorithms.cpp histogram
///
/// @tparam R  sized random access range
/// @tparam BinOf  function from an element to an integer
/// @param range  elements to count
/// @param bins  number of bins
/// @param bin_of  returns the bin of an element, in [0, bins); several workers call it concurrently
/// @returns the number of elements of each bin
/// @throws std::out_of_range if `bin_of` returns a number outside of [0, bins)
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @throws std::bad_alloc if there is no memory for the counts
/// @complexity O(n + bins * b) with b <= 64 blocks, fewer for many bins; memory for bins * b counts
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class BinOf = std::identity>
  requires std::ranges::sized_range<R> &&
           std::integral<
               std::remove_cvref_t<std::invoke_result_t<BinOf&, std::ranges::range_reference_t<R>>>>
[[nodiscard]] std::vector<std::size_t> parallel_histogram(R&& range, std::size_t bins,
                                                          BinOf bin_of = {}) {
  const auto first = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  // A block has at least as many elements as there are bins: the final addition costs no more than
  // the counting.
  const detail::Blocks blocks(n, 64, std::max<std::size_t>(4096, bins));
  std::vector<std::size_t> counts(bins * std::max<std::size_t>(1, blocks.count()));
  detail::with_context([&](detail::WorkerContext& context) {
    detail::for_each_index(context, blocks.count(), [&](std::size_t block) {
      std::size_t* const mine = counts.data() + block * bins;
      for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        const auto bin =
            std::invoke(bin_of, first[static_cast<std::ranges::range_difference_t<R>>(i)]);
        if (std::cmp_less(bin, 0) || std::cmp_greater_equal(bin, bins)) {
          JOBS_THROW(std::out_of_range("jobs::parallel_histogram: no such bin"));
        }
        ++mine[static_cast<std::size_t>(bin)];
      }
    });
  });
  for (std::size_t block = 1; block < blocks.count(); ++block) {
    for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += counts[block * bins + bin];
  }
  counts.resize(bins);
  return counts;
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_histogram)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
