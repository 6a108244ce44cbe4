// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: four times as many workers as CPUs.
#include <chrono>
#include <thread>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void compute_on_all() {
  jobs::parallel_for(0, 1000, [](int) { diagnosis::compute_for(1ms); });
}

}  // namespace

int main() {
  jobs::Scheduler scheduler({.worker_count = 4 * std::thread::hardware_concurrency()});
  scheduler.run([] { compute_on_all(); });
  return 0;
}
