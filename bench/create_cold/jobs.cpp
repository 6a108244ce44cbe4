// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_cold by jobs::Fiber, on a scheduler without earlier fibers.
#include <vector>

#include "bench/create_cold/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::create_cold {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    std::vector<jobs::Fiber<>> fibers;
    fibers.reserve(kFibers);
    jobs::Event release;
    std::int64_t ended = 0;
    const Stopwatch stopwatch;
    for (std::int64_t i = 0; i < kFibers; ++i) {
      fibers.emplace_back(
          [&] {
            release.wait();
            ++ended;
          },
          jobs::FiberOptions{.stack_size = kStackSize, .start = jobs::FiberStart::kNow});
    }
    release.signal();
    for (jobs::Fiber<>& fiber : fibers) fiber.join();
    const double ns = stopwatch.elapsed_ns();
    expect_equal(kFibers, ended);
    return Figures{ns / kFibers};
  });
}

}  // namespace bench::create_cold
