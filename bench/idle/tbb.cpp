// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An idle arena of oneTBB.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/idle/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::idle {

Figures on_tbb(const Conditions& conditions) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, conditions.workers);
  tbb::task_arena arena(static_cast<int>(conditions.workers));
  arena.execute([&] {
    tbb::parallel_for(
        0u, conditions.workers, [](unsigned) { spin_for(kWork); }, tbb::simple_partitioner{});
  });
  return when_idle(conditions);
}

}  // namespace bench::idle
