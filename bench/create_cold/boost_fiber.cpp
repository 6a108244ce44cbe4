// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_cold by boost::fibers::fiber, with Boost's cheapest stacks: from malloc, without guard
// pages. Memory that malloc has kept of earlier rounds is released first.
#include <malloc.h>

#include <boost/fiber/all.hpp>

#include <vector>

#include "bench/create_cold/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::create_cold {

Figures on_boost_fiber(const Conditions&) {
  malloc_trim(0);
  std::vector<boost::fibers::fiber> fibers;
  fibers.reserve(kFibers);
  std::int64_t ended = 0;
  bool released = false;
  boost::fibers::mutex mutex;
  boost::fibers::condition_variable release;
  const Stopwatch stopwatch;
  for (std::int64_t i = 0; i < kFibers; ++i) {
    fibers.emplace_back(boost::fibers::launch::dispatch, std::allocator_arg,
                        boost::fibers::fixedsize_stack(kStackSize), [&] {
                          std::unique_lock lock(mutex);
                          release.wait(lock, [&] { return released; });
                          ++ended;
                        });
  }
  {
    const std::lock_guard lock(mutex);
    released = true;
  }
  release.notify_all();
  for (boost::fibers::fiber& fiber : fibers) fiber.join();
  const double ns = stopwatch.elapsed_ns();
  expect_equal(kFibers, ended);
  return {ns / kFibers};
}

}  // namespace bench::create_cold
