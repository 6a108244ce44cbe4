// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() with a partition, for loops that repeat over the same data.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "jobs/parallel_for.hpp"
#include "jobs/runtime/parallel/loop_slots.hpp"
#include "jobs/runtime/parallel/loop_team.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {
struct LoopPartitionAccess;  // priority_for.hpp
}

/// Memory of a repeated loop: workers start with their last iterations.
///
/// Loops that run again and again over the same data find the data in the same caches. A worker
/// that has finished its own iterations helps other workers. Iterations that it took over are its
/// own in the next run. Where workers are pinned to cores of several kinds
/// (SchedulerOptions::pin_workers), faster cores get larger shares. If the worker of a share is
/// busy elsewhere, another worker runs the share: no loop waits for a particular worker.
///
/// The object should live as long as the data. It is not copyable. It aborts with an error message
/// if two loops use it concurrently.
///
/// @snippet loops.cpp repeated_for
class AffinityPartition {
 private:
  template <std::integral A, std::integral B, class F>
    requires detail::LoopBody<F, detail::IndexOf<A, B>>
  friend JOBS_TAG_OF_MODE void parallel_for(A first, B last, F&& body,
                                            AffinityPartition& partition);
  friend detail::LoopPartitionAccess;
  detail::LoopSlots slots_;
};

/// Memory for a loop in equal shares: one part per worker.
///
/// Workers do not help within a share, and the object remembers nothing between loops. Where
/// workers are pinned to cores of several kinds (SchedulerOptions::pin_workers), faster cores get
/// larger shares. If the worker of a share is busy elsewhere, another worker runs the share.
///
/// The object is not copyable. It aborts with an error message if two loops use it concurrently.
class StaticPartition {
 private:
  template <std::integral A, std::integral B, class F>
    requires detail::LoopBody<F, detail::IndexOf<A, B>>
  friend JOBS_TAG_OF_MODE void parallel_for(A first, B last, F&& body, StaticPartition& partition);
  friend detail::LoopPartitionAccess;
  detail::LoopSlots slots_;
};

namespace detail {

template <class T>
concept LoopPartition = std::same_as<T, AffinityPartition> || std::same_as<T, StaticPartition>;

enum class Shares { kReplayed, kEqual };

template <Shares kShares, std::integral I, class F>
JOBS_TAG_OF_MODE void run_slots(LoopSlots& slots, const IndexRange<I>& range, F& body) {
  const auto [first, count] = range;
  if (count == 0) return;
  with_context([&](WorkerContext& caller) {
    constexpr bool kReplay = kShares == Shares::kReplayed;
    slots.begin(caller, count, kReplay, kReplay ? "AffinityPartition" : "StaticPartition");
    const struct End {
      LoopSlots& slots;
      ~End() { slots.end(); }
    } end{slots};
    LoopState loop;
    begin_team(loop, caller);
    auto member = [&] {
      const std::size_t home = slots.home(*this_context());
      std::uint64_t run = 0;
      for (;;) {
        const auto part = slots.take(home, !kReplay);
        if (part.is_empty()) break;
        const bool has_run = run_team_part(loop, part.begin, [&] {
          run_part(body, advance_index(first, part.begin), advance_index(first, part.end));
        });
        if (!has_run) break;
        run += part.end - part.begin;
      }
      if (run == 0) return;
      end_team_parts(loop);
      slots.add_run(home, run);
    };
    run_team(caller, std::min<std::uint64_t>(slots.size(), count), member);
    end_team(loop);
  });
}

}  // namespace detail

/// Calls body for each index in [first, last), on the workers of the last run.
///
/// The guarantees are those of parallel_for() without a partition. All workers are notified at
/// once, which does not pay off for a loop of less than about 20 us.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param partition  remembers the shares of the workers; one loop at a time
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws std::bad_alloc if the first loop finds no memory for the shares
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls. A part is a quarter of the rest of a share, down to single iterations;
///   10 ns per part. No allocation from the second loop on.
/// @thread_safety any thread or fiber; concurrent loops need a partition each
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, AffinityPartition& partition) {
  detail::run_slots<detail::Shares::kReplayed>(partition.slots_, detail::index_range(first, last),
                                               body);
}

/// Calls body for each index in [first, last), in one part per worker.
///
/// The guarantees are those of the loop with an AffinityPartition; a part is a whole share.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param partition  memory for the shares; one loop at a time
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws std::bad_alloc if the first loop finds no memory for the shares
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls; no allocation from the second loop on
/// @thread_safety any thread or fiber; concurrent loops need a partition each
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, StaticPartition& partition) {
  detail::run_slots<detail::Shares::kEqual>(partition.slots_, detail::index_range(first, last),
                                            body);
}

/// Calls body(element) for each element of a range, with a partition.
///
/// The overload has the guarantees and costs of the loop over indices with the same partition.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param partition  AffinityPartition or StaticPartition; one loop at a time
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::bad_alloc if the first loop finds no memory for the shares
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as the loop over indices with a partition
/// @thread_safety any thread or fiber; concurrent loops need a partition each
template <std::ranges::random_access_range R, class F, detail::LoopPartition Partition>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
JOBS_TAG_OF_MODE void parallel_for(R&& range, F&& body, Partition& partition) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, partition);
}

}  // namespace jobs::inline JOBS_ABI
