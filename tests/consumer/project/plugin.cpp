// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin with its own schedulers: one per call, one for its lifetime, and the default scheduler.
#include <jobs/jobs.hpp>

#include <functional>
#include <optional>

namespace {

constexpr long kCount = 1000;

long sum() {
  return jobs::parallel_reduce(0L, kCount, 0L, std::plus<>(), [](long i) { return i; });
}

jobs::Scheduler& of_the_plugin() {
  static jobs::Scheduler scheduler({.worker_count = 2});  // destroyed when the plugin is unloaded
  return scheduler;
}

}  // namespace

// Returns 0 on success.
extern "C" [[gnu::visibility("default")]] int run_plugin() {
  constexpr long kExpected = kCount * (kCount - 1) / 2;
  {
    jobs::Scheduler scheduler({.worker_count = 3});
    if (scheduler.run(&sum) != kExpected) return 1;
  }
  if (of_the_plugin().run(&sum) != kExpected) return 2;
  if (sum() != kExpected) return 3;
  jobs::Fiber<int> fiber([] { return 5; });
  if (fiber.join() != 5) return 4;
  jobs::shutdown_default();
  return 0;
}
