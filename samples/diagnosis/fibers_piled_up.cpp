// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: all fibers have started on one worker, which they cannot leave.
#include <chrono>
#include <vector>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void start_all_here() {
  jobs::Event begin;
  std::vector<jobs::Fiber<void>> fibers;
  for (int i = 0; i < 200; ++i) {
    fibers.push_back(jobs::Fiber<void>(
        [&begin] {
          begin.wait();
          diagnosis::compute_for(1ms);
        },
        {.start = jobs::FiberStart::kNow}));  // the place of the finding
  }
  begin.signal();
  for (jobs::Fiber<void>& fiber : fibers) fiber.join();
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { start_all_here(); });
  return 0;
}
