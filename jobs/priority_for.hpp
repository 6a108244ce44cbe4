// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() under a priority. jobs/jobs.hpp does not include it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stop_token>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/priority.hpp"
#include "jobs/repeated_for.hpp"
#include "jobs/runtime/parallel/loop_team.hpp"
#include "jobs/runtime/parallel/priority_team.hpp"
#include "jobs/stoppable_for.hpp"
#include "jobs/throttled_for.hpp"

namespace jobs::inline JOBS_ABI {

/// Priority of the parts of a loop.
///
/// The workers that help begin with the loop as with a job of this priority. A worker that helps a
/// low or a background loop leaves it between two parts if another job waits, and comes back as a
/// job of that priority. The caller runs parts, too, and never leaves the loop: it calls the loop
/// in a job of the same priority, or from a thread of its own. Loops and jobs inside of the body
/// have priorities of their own.
///
/// @snippet loops.cpp priority_for
class LoopPriority {
 public:
  /// Creates the priority of a loop.
  ///
  /// @param priority  one of the five priorities
  constexpr explicit LoopPriority(Priority priority) noexcept : priority_(priority) {}
  /// Returns the priority.
  ///
  /// @returns the priority given
  constexpr Priority priority() const noexcept { return priority_; }

 private:
  Priority priority_;
};

namespace detail JOBS_OF_MODE {

// Runs step(size) on the caller and on workers of that priority until it returns false. `parts`:
// the largest number of calls that run at a time.
template <class Step>
void run_priority_team(LoopPriority priority, std::uint64_t parts, ChunkSize size,
                       WorkerContext& caller, Step& step) {
  PriorityTeam::run(
      caller, priority.priority(), parts - 1, size,
      [](void* loop, ChunkSize& its_size) noexcept {
        return (*static_cast<Step*>(loop))(its_size);
      },
      &step);
}

template <std::integral I, class F>
void run_with_priority(const IndexRange<I>& range, LoopPriority priority, std::uint64_t most,
                       Grain grain, F& body) {
  if (range.count == 0) return;
  const auto first_size =
      grain.is_automatic() ? ChunkSize::automatic() : ChunkSize::fixed(grain.iterations());
  const std::uint64_t parts = (range.count - 1) / first_size.iterations() + 1;
  with_context([&](WorkerContext& caller) {
    LoopState loop;
    begin_team(loop, caller);
    Atomic<std::uint64_t> next{0};
    auto step = [&](ChunkSize& size) noexcept {
      std::uint64_t begin = next.load(limit_order::kTake);
      std::uint64_t end = 0;
      do {
        if (begin == range.count) {
          end_team_parts(loop);
          return false;
        }
        end = size.stop(begin, range.count);
      } while (!next.compare_exchange_weak(begin, end, limit_order::kTake, limit_order::kTake));
      const os::Nanoseconds start = size.is_automatic() ? os::quick_now() : 0;
      const bool has_run = run_team_part(loop, begin, [&] {
        run_part(body, advance_index(range.first, begin), advance_index(range.first, end));
      });
      if (!has_run) {
        end_team_parts(loop);
        return false;
      }
      if (size.is_automatic())
        size.adapt(os::quick_now() - start, end - begin, range.count - begin);
      return true;
    };
    run_priority_team(priority, std::min(most, parts), first_size, caller, step);
    end_team(loop);
  });
}

// The slots of a partition.
struct LoopPartitionAccess {
  template <LoopPartition P>
  static LoopSlots& slots(P& partition) noexcept {
    return partition.slots_;
  }
};

template <bool kReplay, std::integral I, class F>
void run_slots_with_priority(LoopSlots& slots, const IndexRange<I>& range, LoopPriority priority,
                             F& body) {
  if (range.count == 0) return;
  with_context([&](WorkerContext& caller) {
    slots.begin(caller, range.count, kReplay, kReplay ? "AffinityPartition" : "StaticPartition");
    const struct End {
      LoopSlots& slots;
      ~End() { slots.end(); }
    } end{slots};
    LoopState loop;
    begin_team(loop, caller);
    auto step = [&](ChunkSize&) noexcept {
      const std::size_t home = slots.home(*this_context());
      const auto part = slots.take(home, !kReplay);
      const bool has_run = !part.is_empty() && run_team_part(loop, part.begin, [&] {
        run_part(body, advance_index(range.first, part.begin),
                 advance_index(range.first, part.end));
      });
      if (has_run) {
        slots.add_run(home, part.end - part.begin);
      } else {
        end_team_parts(loop);
      }
      return has_run;
    };
    run_priority_team(priority, std::min<std::uint64_t>(slots.size(), range.count),
                      ChunkSize::automatic(), caller, step);
    end_team(loop);
  });
}

}  // namespace detail JOBS_OF_MODE

JOBS_OF_MODE_BEGIN

/// Calls body for each index in [first, last), in parts of a priority.
///
/// Parts begin in the order of their indices. The guarantees are those of parallel_for() without a
/// priority.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param priority  of the workers that help
/// @param grain  iterations per part; automatic if left out
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws std::bad_alloc if there is no memory for the members of the loop
/// @throws Error(kBadArgument) for a value that is none of Priority
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls. Per part: one compare-exchange of a shared number, and with an automatic
///   grain two clock readings per 5 to 100 us. Two allocations. A part of a low loop looks at the
///   deques of all workers: a few ns for each.
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, LoopPriority priority, Grain grain = {}) {
  detail::run_with_priority(detail::index_range(first, last), priority,
                            std::numeric_limits<std::uint64_t>::max(), grain, body);
}

/// Calls body for each index in [first, last), in a limited number of parts of a priority.
///
/// As the loop with a priority; at most `limit` parts run at a time.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param priority  of the workers that help
/// @param limit  number of parts that run at a time
/// @param grain  iterations per part; automatic if left out
/// @throws as the loop with a priority
/// @complexity as the loop with a priority
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, LoopPriority priority, LoopLimit limit,
                  Grain grain = {}) {
  detail::run_with_priority(detail::index_range(first, last), priority, limit.count(), grain, body);
}

/// Calls body for each index in [first, last), in parts of a priority, unless a stop is requested.
///
/// As the loop with a priority, and the stop as in the loop with a stop token.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param priority  of the workers that help
/// @param stop  token that ends the loop early
/// @param grain  iterations per part; automatic if left out
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws as the loop with a priority
/// @complexity as the loop with a priority, and one load of the token's state per part
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, LoopPriority priority, std::stop_token stop,
                  Grain grain = {}) {
  using I = detail::IndexOf<A, B>;
  parallel_for(
      first, last,
      [&](I begin, I end) {
        detail::throw_if_stopped(stop);
        detail::run_part(body, begin, end);
      },
      priority, grain);
}

/// Calls body for each index in [first, last), in parts of a priority, with a partition.
///
/// As the loop with the partition; workers that help begin as jobs of the priority.
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param priority  of the workers that help
/// @param partition  AffinityPartition or StaticPartition; one loop at a time
/// @throws as the loop with a priority
/// @complexity as the loop with the partition
/// @thread_safety any thread or fiber; concurrent loops need a partition each
template <std::integral A, std::integral B, class F, detail::LoopPartition P>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, LoopPriority priority, P& partition) {
  detail::run_slots_with_priority<std::same_as<P, AffinityPartition>>(
      detail::LoopPartitionAccess::slots(partition), detail::index_range(first, last), priority,
      body);
}

/// Calls body(element) for each element of a random-access range, in parts of a priority.
///
/// The overload has the guarantees and costs of the loop over indices with the same options.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param priority  of the workers that help
/// @param options  nothing, a LoopLimit or a stop token, with or without a Grain, or a partition
/// @throws as the loop over indices with the same options
/// @complexity O(n) calls, as the loop over indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class F, class... Options>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, LoopPriority priority, Options&&... options) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, priority, std::forward<Options>(options)...);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
