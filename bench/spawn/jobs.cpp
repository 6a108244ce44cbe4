// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn by jobs::spawn(); the last job signals the producer.
#include "bench/spawn/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::spawn {
namespace {

std::int64_t spawn_all() {
  Tally tally;
  jobs::Event all_done;
  for (std::int64_t i = 0; i < kJobs; ++i) {
    jobs::spawn([&tally, &all_done] {
      if (tally.arrive()) all_done.signal();
    });
  }
  all_done.wait();
  return tally.arrived();
}

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return Figures{checked_ns(kJobs, spawn_all) / kJobs}; });
}

}  // namespace bench::spawn
