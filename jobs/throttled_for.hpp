// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() with a limit of the parts that run at a time.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>

#include "jobs/base/atomic.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/runtime/parallel/loop_team.hpp"

namespace jobs::inline JOBS_ABI {

/// Largest number of parts of a loop that run at a time.
///
/// A part is one call of a body that takes two indices, or the calls of one chunk. The limit is for
/// bodies that need much of something: memory, bandwidth, or a licence. A part that waits counts.
/// No worker waits for the limit: workers beyond it do other work.
///
/// @snippet loops.cpp throttled_for
class LoopLimit {
 public:
  /// Creates a limit.
  ///
  /// @param count  number of parts, at least 1
  /// @throws std::invalid_argument if `count` is 0
  JOBS_TAG_OF_MODE constexpr explicit LoopLimit(std::size_t count) : count_(count) {
    if (count == 0) JOBS_THROW(std::invalid_argument("jobs::LoopLimit: 0 parts"));
  }
  /// Returns the number of parts.
  ///
  /// @returns the number given
  constexpr std::size_t count() const noexcept { return count_; }

 private:
  std::size_t count_;
};

namespace detail JOBS_OF_MODE {

namespace limit_order {
JOBS_ORDER(kTake, relaxed);  // yields disjoint parts; fork and join order all other data
}  // namespace limit_order

// The members of a team beyond the workers serve bodies that wait. Each costs a fork.
inline constexpr std::uint64_t kMostMembers = 1024;

template <std::integral I, class F>
void run_limited(const IndexRange<I>& range, LoopLimit limit, Grain grain, F& body) {
  if (range.count == 0) return;
  const std::uint64_t size = grain.is_automatic() ? 1 : grain.iterations();
  const std::uint64_t parts = (range.count - 1) / size + 1;
  with_context([&](WorkerContext& caller) {
    LoopState loop;
    begin_team(loop, caller);
    Atomic<std::uint64_t> next{0};
    auto member = [&] {
      for (;;) {
        const std::uint64_t part = next.fetch_add(1, limit_order::kTake);
        if (part >= parts) break;
        const std::uint64_t begin = part * size;
        const std::uint64_t end = begin + std::min(size, range.count - begin);
        const bool has_run = run_team_part(loop, begin, [&] {
          run_part(body, advance_index(range.first, begin), advance_index(range.first, end));
        });
        if (!has_run) break;
      }
      end_team_parts(loop);
    };
    run_team(caller, std::min({std::uint64_t{limit.count()}, parts, kMostMembers}), member);
    end_team(loop);
  });
}

}  // namespace detail JOBS_OF_MODE

JOBS_OF_MODE_BEGIN

/// Calls body for each index in [first, last), in a limited number of parts at a time.
///
/// Parts begin in the order of their indices. The guarantees are those of parallel_for() without a
/// limit.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param limit  number of parts that run at a time, 1,024 at most
/// @param grain  iterations per part; 1 if left out
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls. One increment of a shared number per part: 5 to 100 ns. No allocation.
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, LoopLimit limit, Grain grain = {}) {
  detail::run_limited(detail::index_range(first, last), limit, grain, body);
}

/// Calls body for each element of a range, in a limited number of parts at a time.
///
/// The overload has the guarantees and costs of the loop over indices with a limit.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param limit  number of parts that run at a time, 1,024 at most
/// @param grain  elements per part; 1 if left out
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as the loop over indices with a limit
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class F>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, LoopLimit limit, Grain grain = {}) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, limit, grain);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
