// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// counter_wait by tbb::task_group.
#include <oneapi/tbb/task_group.h>

#include "bench/counter_wait/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::counter_wait {

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{step_ns([](Slots& slots) {
      tbb::task_group group;
      for (Slot& slot : slots) group.run([&slot] { run(slot); });
      group.wait();
    })};
  });
}

}  // namespace bench::counter_wait
