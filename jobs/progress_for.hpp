// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() that counts its iterations for a display. jobs/jobs.hpp does not include it.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/grid_for.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

struct LoopProgressAccess;

namespace progress_order {
// [loop_progress.1] A thread that sees iterations sees their effects, and the total of their loop.
JOBS_ORDER(kDone, release);     // partner: kSeeDone
JOBS_ORDER(kSeeDone, acquire);  // partner: kDone
JOBS_ORDER(kTotal, relaxed);    // a figure; [loop_progress.1] publishes it with the iterations
}  // namespace progress_order

}  // namespace detail

/// Counts the iterations of loops while they run, for a display of their progress.
///
/// A loop that gets the object adds its iterations to total() when it begins, and to done() part by
/// part. Any thread may read the numbers at any time. Several loops, also concurrent ones, may
/// share one object: their iterations add up.
///
/// An iteration of a loop over a grid is a point, or a tile if the loop has a tile size. If a loop
/// throws or is stopped, the parts that did not end are not counted.
///
/// @snippet loops.cpp progress_for
class LoopProgress {
 public:
  /// Creates an object without iterations.
  LoopProgress() = default;
  LoopProgress(const LoopProgress&) = delete;
  LoopProgress& operator=(const LoopProgress&) = delete;

  /// Returns the number of iterations of all loops that have begun.
  ///
  /// @returns the sum over the loops
  /// @complexity O(1), one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] std::uint64_t total() const noexcept {
    return total_.load(detail::progress_order::kTotal);
  }
  /// Returns the number of iterations that have ended.
  ///
  /// The effects of these iterations are visible. The number never falls, and never exceeds a
  /// total() that is read afterwards.
  ///
  /// @returns the sum over the loops
  /// @complexity O(1), one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] std::uint64_t done() const noexcept {
    return done_.load(detail::progress_order::kSeeDone);
  }
  /// Returns the share of the iterations that have ended.
  ///
  /// The share falls when another loop begins with the object.
  ///
  /// @returns from 0 to 1; 0 before the first iteration has ended
  /// @complexity O(1), two loads
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] double fraction() const noexcept {
    const auto ended = static_cast<double>(done());
    return ended == 0 ? 0 : ended / static_cast<double>(total());
  }

 private:
  friend detail::LoopProgressAccess;

  alignas(detail::kDestructiveDistance) detail::Atomic<std::uint64_t> done_{0};
  detail::Atomic<std::uint64_t> total_{0};
};

namespace detail {

// The writes of a loop.
struct LoopProgressAccess {
  static void begin(LoopProgress& progress, std::uint64_t iterations) noexcept {
    progress.total_.fetch_add(iterations, progress_order::kTotal);
  }
  static void end_part(LoopProgress& progress, std::uint64_t iterations) noexcept {
    progress.done_.fetch_add(iterations, progress_order::kDone);
  }
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls body for each index in [first, last), in parallel, and counts the iterations.
///
/// The guarantees are those of parallel_for() with the same options. Loops over grids, by points or
/// by tiles, and loops with a step take a LoopProgress in the same place.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param progress  counts the iterations; must outlive the call
/// @param options  as for a loop without it: nothing, a Grain, a stop token, a LoopLimit or a
///   LoopPriority, with or without a Grain, or a partition
/// @throws as the loop without it
/// @complexity as the loop without it, and one addition to a shared number per part. Of an
/// automatic
///   grain, a part takes 5 to 100 us. With small explicit grains, the workers wait for the number.
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F, class... Options>
  requires detail::LoopBody<F, detail::IndexOf<A, B>> && detail::LoopOptions<Options...>
void parallel_for(A first, B last, F&& body, LoopProgress& progress, Options&&... options) {
  using I = detail::IndexOf<A, B>;
  detail::LoopProgressAccess::begin(progress, detail::index_range(first, last).count);
  parallel_for(
      first, last,
      [&](I begin, I end) {
        detail::run_part(body, begin, end);
        detail::LoopProgressAccess::end_part(progress, detail::index_distance(begin, end));
      },
      std::forward<Options>(options)...);
}

/// Calls body(element) for each element of a range, in parallel, and counts the elements.
///
/// The overload has the guarantees and costs of the loop over indices.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param progress  counts the elements; must outlive the call
/// @param options  as for the loop over indices
/// @throws as the loop without it
/// @complexity as the loop over indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class F, class... Options>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>> &&
           detail::LoopOptions<Options...>
void parallel_for(R&& range, F&& body, LoopProgress& progress, Options&&... options) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, progress, std::forward<Options>(options)...);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
