// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Divides a range in place into the elements for which a predicate holds and the others: the step of quicksort, nth_element and
// partition. Not stable. If the predicate throws, no element is lost.
//
// Alone: cheap elements without branches, by the cyclic form of Lomuto's partition (one move to where the boundary is and one
// from there per element; O. Peters and L. Bergdoll, "ipnsort", 2024); others by Hoare's with the branches taken out of the
// comparisons (S. Edelkamp, A. Weiss, "BlockQuicksort: avoiding branch mispredictions in quicksort", ESA 2016).
//
// Together: each block of a fixed grid alone, then what is on the wrong side of the boundary changes places with as much on the
// other side. So the order that results is the same for any number of workers (P. Tsigas, Y. Zhang, "A simple, fast parallel
// implementation of quicksort", PDP 2003, has blocks and the repair at the end; blocks are claimed by time there).
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "jobs/algorithm/blocks.hpp"
#include "jobs/algorithm/order.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// The first of the others of [first, last), after C. A. R. Hoare, "Quicksort", The Computer Journal 5(1), 1962.
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

// As divide_by_swaps(), for elements that are cheap to copy.
template <class It, class Predicate>
It divide_by_cycle(It first, It last, const Predicate& holds) {
  if (first == last) return first;
  // [first, boundary) hold, [boundary, next) do not, except that the gap, one of the latter, is a copy: its element is `value`.
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

// As divide_by_swaps(), for elements that are not: notes which ones of a batch from either end are on the wrong side, a store and
// an addition without a branch, and then moves as many as both ends have around one cycle.
template <class It, class Predicate>
It divide_by_batches(It first, It last, const Predicate& holds) {
  constexpr std::uint8_t kBatch = 64;
  std::array<std::uint8_t, kBatch> low;   // offsets from low_base up: it does not hold
  std::array<std::uint8_t, kBatch> high;  // offsets from high_base down: it does
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
  // What is noted and could not be moved, and what was not looked at.
  if (low_begin != low_end) first = low_base + low[low_begin];
  if (high_begin != high_end) last = high_base - high[high_begin] + 1;
  return divide_by_swaps(first, last, holds);
}

// Returns the first of the others. O(n), at most n + 64 calls of `holds`.
template <class It, class Predicate>
It divide_alone(It first, It last, const Predicate& holds) {
  if constexpr (kCheap<std::iter_value_t<It>>) {
    return divide_by_cycle(first, last, holds);
  } else {
    return divide_by_batches(first, last, holds);
  }
}

// What stands on the wrong side of the boundary, as runs in order of position.
class Misplaced {
 public:
  void add(std::size_t begin, std::size_t end) noexcept {
    if (begin >= end) return;
    runs_[count_++] = {begin, total_};
    total_ += end - begin;
  }
  std::size_t total() const noexcept { return total_; }
  // A position and how many of them follow each other from there, of the `rank`-th element. pre: rank < total().
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

inline constexpr std::size_t kDivideTogether = std::size_t{1} << 17;  // fewer elements are quicker divided alone

// As divide_alone(). The order depends on the elements only. O(n).
template <class It, class Predicate>
It divide(Lane& lane, It first, It last, const Predicate& holds) {
  using Distance = std::iter_difference_t<It>;
  constexpr std::size_t kBlocks = 64;
  const auto n = static_cast<std::size_t>(last - first);
  if (n < kDivideTogether) return divide_alone(first, last, holds);
  const auto at = [first](std::size_t i) { return first + static_cast<Distance>(i); };

  const Blocks blocks(n, kBlocks, 1);
  std::array<std::size_t, kBlocks> middles;  // of each block
  for_each_index(lane, blocks.count(), [&](std::size_t block) {
    middles[block] =
        static_cast<std::size_t>(divide_alone(at(blocks.begin(block)), at(blocks.end(block)), holds) - first);
  });
  std::size_t boundary = 0;
  for (std::size_t block = 0; block < blocks.count(); ++block) boundary += middles[block] - blocks.begin(block);

  Misplaced below;  // the predicate does not hold
  Misplaced above;  // it does
  for (std::size_t block = 0; block < blocks.count(); ++block) {
    below.add(middles[block], std::min(blocks.end(block), boundary));
    above.add(std::max(blocks.begin(block), boundary), middles[block]);
  }
  const Blocks swaps(below.total(), kBlocks, 4096);
  for_each_index(lane, swaps.count(), [&](std::size_t block) {
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
