// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for with a partition: loops that run again and again over the same data and want it in the same caches.
//
//   jobs::AffinityPartition partition;                       // lives as long as the data
//   for (int step = 0; step < 1000; ++step) jobs::parallel_for(0, n, relax, partition);
//
// AffinityPartition: each worker begins where it was last time and helps others when it is done; what it helped with is its own
// the next time. StaticPartition: equal shares, one part for each worker; no helping within a share. Where workers are pinned to
// cores of several kinds (SchedulerOptions::pin_workers), the faster ones get larger shares. Both may be run by any
// worker, if the one that it belongs to is busy elsewhere: no loop waits for a particular worker.
//
// Any thread may call it, as parallel_for, of which it is a form; one loop at a time for each partition.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "jobs/parallel_for.hpp"
#include "jobs/runtime/parallel/loop_slots.hpp"

namespace jobs::inline JOBS_ABI {

// What a loop remembers for the next one. Not copyable. Used by two loops at the same time it aborts with one line.
class AffinityPartition {
 private:
  template <std::integral I, class F>
  requires detail::LoopBody<F, I>
  friend JOBS_TAG_OF_MODE void parallel_for(I first, I last, F&& body, AffinityPartition& partition);
  detail::LoopSlots slots_;
};

// Memory for the shares; remembers nothing. Not copyable, likewise.
class StaticPartition {
 private:
  template <std::integral I, class F>
  requires detail::LoopBody<F, I>
  friend JOBS_TAG_OF_MODE void parallel_for(I first, I last, F&& body, StaticPartition& partition);
  detail::LoopSlots slots_;
};

namespace detail {

enum class Shares { kReplayed, kEqual };

template <Shares kShares, std::integral I, class F>
JOBS_TAG_OF_MODE void run_slots(LoopSlots& slots, I first, I last, F& body) {
  const std::uint64_t count = index_distance(first, last);
  if (count == 0) return;
  with_lane([&](Lane& caller) {
    constexpr bool kReplay = kShares == Shares::kReplayed;
    slots.begin(caller, count, kReplay, kReplay ? "AffinityPartition" : "StaticPartition");
    const struct End {
      LoopSlots& slots;
      ~End() { slots.end(); }
    } end{slots};
    LoopState loop;
    // Each worker that comes takes part until nothing is left.
    auto take_part = [&](std::uint64_t, std::uint64_t) {
      const std::size_t home = slots.home(*this_context());
      std::uint64_t run = 0;
      while (!loop.is_cancelled()) {
        const auto part = slots.take(home, !kReplay);
        if (part.is_empty()) break;
        run_part(body, advance_index(first, part.begin), advance_index(first, part.end));
        run += part.end - part.begin;
      }
      if (run > 0) slots.add_run(home, run);
    };
    run_range(loop, caller, 0, slots.size(), ChunkSize::fixed(1), take_part);
  });
}

}  // namespace detail

// As parallel_for; all workers are asked at once, which a loop of less than some 20 us does not earn back. No allocation from the
// second loop on. Parts: a quarter of what is left of a share, down to single iterations; 10 ns each.
template <std::integral I, class F>
requires detail::LoopBody<F, I>
void parallel_for(I first, I last, F&& body, AffinityPartition& partition) {
  detail::run_slots<detail::Shares::kReplayed>(partition.slots_, first, last, body);
}

// As above; a part is a whole share.
template <std::integral I, class F>
requires detail::LoopBody<F, I>
void parallel_for(I first, I last, F&& body, StaticPartition& partition) {
  detail::run_slots<detail::Shares::kEqual>(partition.slots_, first, last, body);
}

}  // namespace jobs::inline JOBS_ABI
