// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_histogram: how many elements fall into each of some bins.
//
//   const auto counts = jobs::parallel_histogram(pixels, 256, [](Pixel p) { return p.grey(); });
//
// Any thread may call it, as parallel_for.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"
#include "jobs/algorithm/wrong_call.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI {

JOBS_OF_MODE_BEGIN

// Counts, for each bin of [0, bins), the elements for which bin_of(element) is that number. Another number throws
// std::out_of_range. O(n + bins * b) with b <= 64 blocks, fewer if there are many bins; memory for bins * b counts. Exceptions of
// `bin_of` as parallel_for.
template <std::ranges::random_access_range R, class BinOf = std::identity>
requires std::ranges::sized_range<R> &&
    std::integral<std::remove_cvref_t<std::invoke_result_t<BinOf&, std::ranges::range_reference_t<R>>>>
[[nodiscard]] std::vector<std::size_t> parallel_histogram(R&& range, std::size_t bins, BinOf bin_of = {}) {
  const auto first = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  // A block has at least as many elements as bins, so that adding up costs no more than counting.
  const detail::Blocks blocks(n, 64, std::max<std::size_t>(4096, bins));
  std::vector<std::size_t> counts(bins * std::max<std::size_t>(1, blocks.count()));
  detail::with_lane([&](detail::Lane& lane) {
    detail::for_each_index(lane, blocks.count(), [&](std::size_t block) {
      std::size_t* const mine = counts.data() + block * bins;
      for (std::size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        const auto bin = std::invoke(bin_of, first[static_cast<std::ranges::range_difference_t<R>>(i)]);
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

// Wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_histogram)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
