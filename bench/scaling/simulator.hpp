// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A discrete-event model of the scheduler, for numbers of workers that no machine of ours has. Stands on nothing of the library.
//
// It follows one divided range from its call to its end, by the rules of jobs/queue and jobs/runtime: hidden and shared deques, asking
// and raiding, the pause after a theft, at most half of the workers looking eagerly, chained wake-ups, joins that suspend a fiber which
// only its home goes on with. One event is a leaf, or one look at another deque. Time is what the Costs say; nothing else is slow.
#pragma once

#include <cstdint>

namespace bench::scaling {

// ns each.
struct Costs {
  double fork = 5;             // push, call, and take of a child that nobody wants
  double take_shared = 8;      // what the take of a shared deque costs more
  double share = 20;           // a compare-exchange of the owner
  double clean = 3;            // a look at a line that has not changed
  double near = 60;            // a line from a worker of the same group
  double far = 180;            // a line from another group
  double rmw = 8;              // a read-modify-write of a line that one has
  double fiber = 10;           // to another fiber, there and back
  double heavy_fence = 5'000;  // membarrier, for a raider and for the last who goes to sleep
  double fenced = 1'000;       // ... and for everybody else who runs
  double futex = 2'000;        // a wake-up, for the waker
  double wake = 5'000;         // ... and until the sleeper looks for work
  unsigned group = 16;         // workers that share a cache
};

enum class Shape : std::uint8_t {
  kTree,  // fork_join down to single leaves
  kLoop,  // parallel_for: half of the rest is on offer, no more
};

struct Setting {
  unsigned workers;
  double leaf_ns;
  std::int64_t leaves;
  Shape shape;
  bool hot;  // the others look for work already; else they sleep
  std::uint64_t seed = 1;
};

struct Outcome {
  double time_ns;
  double efficiency;      // leaves * leaf_ns / (workers * time_ns)
  double idle_line_rmws;  // read-modify-writes of the line that all workers share, for each leaf
  double line_wait_ns;    // for each of them: how long it waited for others
  std::uint64_t thefts;
  std::uint64_t raids;
  std::uint64_t wakes;
};

Outcome simulate(const Costs& costs, const Setting& setting);

}  // namespace bench::scaling
