// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The same by oneTBB's task_group. Its pushes are never private: a thread that takes its own task
// pays for this.
#include <oneapi/tbb/task_group.h>

#include "bench/raid/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/statistics.hpp"

namespace bench::raid {

Figures on_tbb(const Conditions& conditions) {
  Relay relay(kSamples);
  const std::vector<Sample> samples = inside_tbb(conditions.workers, [&relay] {
    tbb::task_group group;
    std::vector<Sample> all = take_samples(relay, kSamples, [&group](auto job) { group.run(job); });
    group.wait();
    return all;
  });
  relay.check();
  const std::vector<double> latencies = undisturbed(samples);
  return {quantile(latencies, 0.5), quantile(latencies, 0.999)};
}

}  // namespace bench::raid
