// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn without a runtime: the cost of the jobs' bodies.
#include "bench/spawn/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::spawn {
namespace {

std::int64_t count_all() {
  Tally tally;
  for (std::int64_t i = 0; i < kJobs; ++i) tally.arrive();
  return tally.arrived();
}

}  // namespace

Figures serial(const Conditions&) { return {checked_ns(kJobs, count_all) / kJobs}; }

}  // namespace bench::spawn
