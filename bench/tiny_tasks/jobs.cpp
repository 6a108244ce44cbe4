// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tiny_tasks by jobs::spawn(); the last job signals the producer.
#include "bench/support/inside_jobs.hpp"
#include "bench/tiny_tasks/workload.hpp"

namespace bench::tiny_tasks {
namespace {

int run_all() {
  std::atomic<int> ran{0};
  jobs::Event all_done;
  for (int i = 0; i < kJobs; ++i) {
    jobs::spawn([&ran, &all_done] {
      work();
      if (ran.fetch_add(1, std::memory_order_acq_rel) + 1 == kJobs) all_done.signal();
    });
  }
  all_done.wait();
  return ran.load();
}

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return figures_of(run_all); });
}

}  // namespace bench::tiny_tasks
