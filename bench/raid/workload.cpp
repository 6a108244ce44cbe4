// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of samples.
#include "bench/raid/workload.hpp"

namespace bench::raid {

std::vector<double> undisturbed(const std::vector<Sample>& samples) {
  constexpr double kNoticeableNs = 20'000;  // interrupts take less
  std::vector<double> latencies;
  for (const bool all : {false, true}) {
    for (const Sample& sample : samples) {
      if (all || sample.away_ns < kNoticeableNs) latencies.push_back(sample.latency_ns);
    }
    if (!latencies.empty()) break;
  }
  return latencies;
}

}  // namespace bench::raid
