// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Divides a range in place by a predicate: the step of quicksort, nth_element and partition. The
// elements that satisfy the predicate come first. Not stable. If the predicate throws, no element
// is lost. Internal; any thread with a worker context may call divide().
//
// On one thread (divide_alone()): cheap elements are moved without branches, by the cyclic form of
// Lomuto's partition. Each element moves once to the boundary and once from there (O. Peters and L.
// Bergdoll, "ipnsort", 2024). Other elements are divided by Hoare's partition, with the branches
// taken out of the comparisons (S. Edelkamp, A. Weiss, "BlockQuicksort: avoiding branch
// mispredictions in quicksort", ESA 2016).
//
// In parallel (divide()): each block of a fixed grid is divided by one worker. Then the elements on
// the wrong sides of the boundary are swapped. The resulting order is therefore the same for any
// number of workers. (P. Tsigas, Y. Zhang, "A simple, fast parallel implementation of quicksort",
// PDP 2003, has blocks and the repair at the end; there, threads claim blocks by time.)
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Divides [first, last). Returns the first element that does not satisfy the predicate. After C. A.
// R. Hoare, "Quicksort", The Computer Journal 5(1), 1962.
template <class It, class Predicate>
It divide_by_swaps(It first, It last, const Predicate& holds) {
  while (true) {
    while (first != last && holds(*first)) ++first;
    do {
      if (first == last) return first;
      --last;
    } while (!holds(*last));
    if (first == last) return first;
    std::iter_swap(first, last);
    ++first;
  }
}

// The same as divide_by_swaps(), for elements that are cheap to copy.
template <class It, class Predicate>
It divide_by_cycle(It first, It last, const Predicate& holds) {
  if (first == last) return first;
  // [first, boundary) satisfy the predicate and [boundary, next) do not. One element of the latter,
  // the gap, is a copy; its real value is `value`.
  const std::iter_value_t<It> value = *first;
  It boundary = first;
  It gap = first;
  JOBS_TRY {
    for (It next = first + 1; next != last; ++next) {
      const bool is_before = holds(*next);
      *gap = *boundary;
      *boundary = *next;
      gap = next;
      boundary += is_before;
    }
    const bool is_before = holds(value);
    *gap = *boundary;
    *boundary = value;
    return boundary + is_before;
  }
  JOBS_CATCH_ALL {
    *gap = value;
    JOBS_RETHROW;
  }
}

// The same as divide_by_swaps(), for elements that are expensive to copy. Notes the misplaced
// elements of a batch from either end, by a store and an addition without a branch. Then it moves
// as many elements as both ends have around one cycle.
template <class It, class Predicate>
It divide_by_batches(It first, It last, const Predicate& holds) {
  constexpr std::uint8_t kBatch = 64;
  // Offsets from low_base upwards of elements that do not satisfy the predicate.
  std::array<std::uint8_t, kBatch> low;
  // Offsets from high_base downwards of elements that satisfy it.
  std::array<std::uint8_t, kBatch> high;
  It low_base = first;
  It high_base = last;
  std::size_t low_begin = 0, low_end = 0;
  std::size_t high_begin = 0, high_end = 0;
  while (last - first > 2 * kBatch) {
    if (low_begin == low_end) {
      low_begin = low_end = 0;
      low_base = first;
      for (std::uint8_t i = 0; i < kBatch; ++i, ++first) {
        low[low_end] = i;
        low_end += !holds(*first);
      }
    }
    if (high_begin == high_end) {
      high_begin = high_end = 0;
      high_base = last - 1;
      for (std::uint8_t i = 0; i < kBatch; ++i) {
        --last;
        high[high_end] = i;
        high_end += holds(*last);
      }
    }
    const std::size_t moves = std::min(low_end - low_begin, high_end - high_begin);
    if (moves == 0) continue;
    It hole = low_base + low[low_begin];
    std::iter_value_t<It> value = std::move(*hole);
    for (std::size_t i = 0; i < moves; ++i) {
      const It from_high = high_base - high[high_begin + i];
      if (i > 0) {
        const It from_low = low_base + low[low_begin + i];
        *hole = std::move(*from_low);
        hole = from_low;
      }
      *hole = std::move(*from_high);
      hole = from_high;
    }
    *hole = std::move(value);
    low_begin += moves;
    high_begin += moves;
  }
  // The rest: noted elements without a partner, and elements that no batch has read.
  if (low_begin != low_end) first = low_base + low[low_begin];
  if (high_begin != high_end) last = high_base - high[high_begin] + 1;
  return divide_by_swaps(first, last, holds);
}

// Divides on the calling thread. Returns the first element that does not satisfy `holds`. O(n), at
// most n + 64 calls of `holds`.
template <class It, class Predicate>
It divide_alone(It first, It last, const Predicate& holds) {
  if constexpr (kCheap<std::iter_value_t<It>>) {
    return divide_by_cycle(first, last, holds);
  } else {
    return divide_by_batches(first, last, holds);
  }
}

// The elements on the wrong side of the boundary, as runs in order of position.
class Misplaced {
 public:
  void add(std::size_t begin, std::size_t end) noexcept {
    if (begin >= end) return;
    runs_[count_++] = {begin, total_};
    total_ += end - begin;
  }
  std::size_t total() const noexcept { return total_; }
  // Returns the position of the `rank`-th element and the length of the run from there on. pre:
  // rank < total().
  std::pair<std::size_t, std::size_t> at(std::size_t rank) const noexcept {
    std::size_t run = 0;
    while (run + 1 < count_ && runs_[run + 1].rank <= rank) ++run;
    const std::size_t end = run + 1 < count_ ? runs_[run + 1].rank : total_;
    return {runs_[run].position + (rank - runs_[run].rank), end - rank};
  }

 private:
  struct Run {
    std::size_t position;
    std::size_t rank;
  };
  std::array<Run, 65> runs_;
  std::size_t count_ = 0;
  std::size_t total_ = 0;
};

// Fewer elements are divided faster on one thread.
inline constexpr std::size_t kDivideTogether = std::size_t{1} << 17;

// Divides in parallel; returns as divide_alone(). The resulting order depends on the elements only.
// O(n).
template <class It, class Predicate>
It divide(WorkerContext& context, It first, It last, const Predicate& holds) {
  using Distance = std::iter_difference_t<It>;
  constexpr std::size_t kBlocks = 64;
  const auto n = static_cast<std::size_t>(last - first);
  if (n < kDivideTogether) return divide_alone(first, last, holds);
  const auto at = [first](std::size_t i) { return first + static_cast<Distance>(i); };

  const Blocks blocks(n, kBlocks, 1);
  std::array<std::size_t, kBlocks> middles;  // The boundary of each block.
  for_each_index(context, blocks.count(), [&](std::size_t block) {
    middles[block] = static_cast<std::size_t>(
        divide_alone(at(blocks.begin(block)), at(blocks.end(block)), holds) - first);
  });
  std::size_t boundary = 0;
  for (std::size_t block = 0; block < blocks.count(); ++block)
    boundary += middles[block] - blocks.begin(block);

  Misplaced below;  // Elements that do not satisfy the predicate.
  Misplaced above;  // Elements that satisfy it.
  for (std::size_t block = 0; block < blocks.count(); ++block) {
    below.add(middles[block], std::min(blocks.end(block), boundary));
    above.add(std::max(blocks.begin(block), boundary), middles[block]);
  }
  const Blocks swaps(below.total(), kBlocks, 4096);
  for_each_index(context, swaps.count(), [&](std::size_t block) {
    for (std::size_t rank = swaps.begin(block); rank < swaps.end(block);) {
      const auto [low, low_run] = below.at(rank);
      const auto [high, high_run] = above.at(rank);
      const std::size_t run = std::min({low_run, high_run, swaps.end(block) - rank});
      std::swap_ranges(at(low), at(low + run), at(high));
      rank += run;
    }
  });
  return at(boundary);
}

}  // namespace jobs::inline JOBS_ABI::detail
