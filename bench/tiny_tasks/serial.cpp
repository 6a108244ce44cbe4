// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tiny_tasks without a runtime: the cost of the bodies.
#include "bench/tiny_tasks/workload.hpp"

namespace bench::tiny_tasks {

Figures serial(const Conditions&) {
  return figures_of([] {
    std::atomic<int> ran{0};
    for (int i = 0; i < kJobs; ++i) {
      work();
      ran.fetch_add(1, std::memory_order_acq_rel);
    }
    return ran.load();
  });
}

}  // namespace bench::tiny_tasks
