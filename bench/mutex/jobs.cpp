// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// mutex by jobs::Mutex.
#include "bench/mutex/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::mutex {

Figures uncontended_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return Figures{uncontended_ns<jobs::Mutex>()}; });
}

Figures shared_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{shared_ns([] {
      jobs::Mutex mutex;
      std::int64_t counter = 0;
      jobs::Counter parties;
      for (std::int64_t party = 0; party < kParties; ++party) {
        jobs::spawn(parties, [&] { count(mutex, kLocksEach, counter); });
      }
      parties.wait();
      return counter;
    })};
  });
}

}  // namespace bench::mutex
