// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Healthy: fibers that sleep, while others compute.
#include <chrono>
#include <vector>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void sleep_and_compute() {
  std::vector<jobs::Fiber<void>> fibers;
  for (int i = 0; i < 200; ++i) {
    fibers.push_back(jobs::Fiber<void>([] {
      for (int n = 0; n < 3; ++n) {
        diagnosis::compute_for(1ms);
        jobs::this_fiber::sleep_for(5ms);
      }
    }));
  }
  for (jobs::Fiber<void>& fiber : fibers) fiber.join();
}

}  // namespace

int main() {
  sleep_and_compute();
  return 0;
}
