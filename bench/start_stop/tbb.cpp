// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One life of oneTBB. Its threads start when a task is spawned and outlive the arena; finalize()
// joins them.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include "bench/start_stop/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::start_stop {

Figures on_tbb(const Conditions& conditions) {
  return {cycle_ns([&] {
    tbb::task_scheduler_handle runtime{tbb::attach{}};
    const int result = inside_tbb(conditions.workers, [] {
      int one = 0;
      tbb::task_group group;
      group.run_and_wait([&one] { one = 1; });
      return one;
    });
    if (!tbb::finalize(runtime, std::nothrow)) throw WrongResult("oneTBB did not end its threads");
    return result;
  })};
}

}  // namespace bench::start_stop
