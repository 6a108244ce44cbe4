// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks: the fixed grid over a range that makes the result of an algorithm independent of the
// number of workers. The bounds of the blocks depend on the number of elements only, and every
// worker treats a block in the same way.
//
// Internal: the algorithms create one per call. It is immutable, so any thread may read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/parallel/loop.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// The bounds of blocks of equal size.
class Blocks {
 public:
  // At most `max_count` blocks of equal size, each of at least `min_size` elements; the last one
  // may be shorter. pre: most, least > 0.
  constexpr Blocks(std::size_t elements, std::size_t max_count, std::size_t min_size) noexcept
      : elements_(elements), size_(std::max(min_size, (elements + max_count - 1) / max_count)) {}

  constexpr std::size_t count() const noexcept { return (elements_ + size_ - 1) / size_; }
  constexpr std::size_t begin(std::size_t block) const noexcept { return block * size_; }
  constexpr std::size_t end(std::size_t block) const noexcept {
    return std::min(elements_, (block + 1) * size_);
  }

 private:
  std::size_t elements_;
  std::size_t size_;
};

// Calls f(begin, end) for parts that make up [0, count), in parallel if the measured time of the
// parts justifies it. Exceptions as parallel_for().
template <class F>
void for_each_part(WorkerContext& context, std::size_t count, F&& f) {
  auto chunk = [&f](std::uint64_t begin, std::uint64_t end) {
    f(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  };
  LoopState loop;
  run_range(loop, context, 0, count, ChunkSize::automatic(), chunk);
}

// Calls f(index) for each index of [0, count). Otherwise the same as for_each_part().
template <class F>
void for_each_index(WorkerContext& context, std::size_t count, F&& f) {
  for_each_part(context, count, [&f](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace jobs::inline JOBS_ABI::detail
