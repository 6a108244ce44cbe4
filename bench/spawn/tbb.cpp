// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn by one tbb::task_group, which is cheaper than task_arena::enqueue(); the group waits for
// the last task.
#include <oneapi/tbb/task_group.h>

#include "bench/spawn/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::spawn {
namespace {

std::int64_t spawn_all() {
  Tally tally;
  tbb::task_group group;
  for (std::int64_t i = 0; i < kJobs; ++i) {
    group.run([&tally] { tally.arrive(); });
  }
  group.wait();
  return tally.arrived();
}

}  // namespace

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers,
                    [] { return Figures{checked_ns(kJobs, spawn_all) / kJobs}; });
}

}  // namespace bench::spawn
