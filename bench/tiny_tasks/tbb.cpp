// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tiny_tasks by one tbb::task_group.
#include <oneapi/tbb/task_group.h>

#include "bench/support/inside_tbb.hpp"
#include "bench/tiny_tasks/workload.hpp"

namespace bench::tiny_tasks {
namespace {

int run_all() {
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int i = 0; i < kJobs; ++i) {
    group.run([&ran] {
      work();
      ran.fetch_add(1, std::memory_order_acq_rel);
    });
  }
  group.wait();
  return ran.load();
}

}  // namespace

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] { return figures_of(run_all); });
}

}  // namespace bench::tiny_tasks
