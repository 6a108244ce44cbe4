// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// 100,000 jobs that wait for a jobs::Event.
#include <atomic>

#include "bench/blocked_100k/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/process.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::blocked_100k {

Figures on_jobs(const Conditions& conditions) {
  forget_freed_memory();
  return inside_jobs(conditions, [] {
    std::atomic<std::int64_t> waiting{0};
    std::atomic<std::int64_t> resumed{0};
    jobs::Event all_wait;
    jobs::Event release;
    jobs::Counter fibers;
    const double kib_before = resident_kib();
    const Stopwatch stopwatch;
    for (std::int64_t i = 0; i < kFibers; ++i) {
      jobs::spawn(fibers, [&] {
        if (waiting.fetch_add(1) + 1 == kFibers) all_wait.signal();
        release.wait();
        resumed.fetch_add(1);
      });
    }
    all_wait.wait();
    const double ns = stopwatch.elapsed_ns();
    const double kib = resident_kib() - kib_before;
    release.signal();
    fibers.wait();
    expect_equal(kFibers, resumed.load());
    return Figures{ns / kFibers, kib / kFibers};
  });
}

}  // namespace bench::blocked_100k
