// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The wake-ups by tbb::task_group and by tbb::parallel_for() with the simple partitioner, which
// divides down to one iteration.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "bench/support/inside_tbb.hpp"
#include "bench/wake/workload.hpp"

namespace bench::wake {

Figures hot_on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    tbb::task_group group;
    return Figures{hot_ns([&group](auto job) { group.run(job); }, [&group] { group.wait(); })};
  });
}

Figures idle_on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{
        idle_ns([](auto body) { tbb::parallel_for(0, 2, body, tbb::simple_partitioner{}); })};
  });
}

}  // namespace bench::wake
