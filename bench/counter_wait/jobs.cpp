// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// counter_wait by jobs::spawn() and jobs::Counter.
#include "bench/counter_wait/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::counter_wait {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{step_ns([](Slots& slots) {
      jobs::Counter counter;
      for (Slot& slot : slots) jobs::spawn(counter, [&slot] { run(slot); });
      counter.wait();
    })};
  });
}

}  // namespace bench::counter_wait
