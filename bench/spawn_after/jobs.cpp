// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn_after by handles, by events, and without a runtime.
#include "bench/spawn_after/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::spawn_after {

Figures serial(const Conditions&) {
  return {node_ns([](Visits& visits) {
    for (int& count : visits) count = opaque(count + 1);
  })};
}

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{node_ns([](Visits& visits) {
      std::vector<jobs::JobHandle> row(kSide);
      for (std::size_t i = 0; i < kNodes; ++i) {
        const auto node = [&visits, i] { ++visits[i]; };
        const std::size_t x = i % kSide;
        if (i == 0) {
          row[x] = jobs::spawn_after({}, node);
        } else if (x == 0 || i < kSide) {
          row[x] = jobs::spawn_after(row[x == 0 ? 0 : x - 1], node);
        } else {
          row[x] = jobs::spawn_after({row[x], row[x - 1]}, node);
        }
      }
      row.back().wait();
    })};
  });
}

Figures by_events(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{node_ns([](Visits& visits) {
      std::vector<jobs::Event> ended(kNodes);
      jobs::Counter all;
      for (std::size_t i = 0; i < kNodes; ++i) {
        jobs::spawn(all, [&, i] {
          if (i >= kSide) ended[i - kSide].wait();
          if (i % kSide != 0) ended[i - 1].wait();
          ++visits[i];
          ended[i].signal();
        });
      }
      all.wait();
    })};
  });
}

}  // namespace bench::spawn_after
