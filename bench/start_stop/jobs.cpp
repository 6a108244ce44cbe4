// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One life of a jobs::Scheduler.
#include "bench/start_stop/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::start_stop {

Figures on_jobs(const Conditions& conditions) {
  return {cycle_ns([&] { return inside_jobs(conditions, [] { return 1; }); })};
}

}  // namespace bench::start_stop
