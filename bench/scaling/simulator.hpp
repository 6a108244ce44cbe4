// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A discrete-event model of the scheduler, for numbers of workers beyond available machines. It
// uses no code of the library.
//
// It follows one divided range from its call to its end, by the rules of jobs/queue and
// jobs/runtime. These are: private and public deques, requests and forced publications, the pause
// after a theft, at most half of the workers searching eagerly, chained wake-ups, and joins that
// suspend a fiber until its home continues it. One event is a leaf, or one look at another deque.
// Only the Costs take time.
#pragma once

#include <cstdint>

namespace bench::scaling {

// Each in ns.
struct Costs {
  // Push, call, and take of a child without a thief.
  double fork = 5;
  // Additional cost of a take from a public deque.
  double take_shared = 8;
  // A compare-exchange of the owner.
  double share = 20;
  // A look at an unchanged cache line.
  double clean = 3;
  // A cache line from a worker of the same group.
  double near = 60;
  // A cache line from another group.
  double far = 180;
  // A read-modify-write of a line in the own cache.
  double rmw = 8;
  // To another fiber and back.
  double fiber = 10;
  // membarrier, for a thief that forces publication and for the last worker to fall asleep.
  double heavy_fence = 5'000;
  // The cost of this membarrier for every other running worker.
  double fenced = 1'000;
  // A wake-up, for the waker.
  double futex = 2'000;
  // The time from the wake-up until the sleeper searches.
  double wake = 5'000;
  // The number of workers that share a cache.
  unsigned group = 16;
};

enum class Shape : std::uint8_t {
  kTree,  // fork_join down to single leaves
  // parallel_for: offers half of the rest, and no more.
  kLoop,
};

struct Setting {
  unsigned workers;
  double leaf_ns;
  std::int64_t leaves;
  Shape shape;
  // True: the other workers are already searching. False: they sleep.
  bool spinning;
  std::uint64_t seed = 1;
};

struct Result {
  double time_ns;
  double efficiency;  // leaves * leaf_ns / (workers * time_ns)
  // Read-modify-writes per leaf of the cache line that all workers share.
  double idle_line_rmws;
  // The wait per such operation for other workers.
  double line_wait_ns;
  std::uint64_t thefts;
  std::uint64_t forced_publications;
  std::uint64_t wakes;
};

Result simulate(const Costs& costs, const Setting& setting);

}  // namespace bench::scaling
