// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Healthy: a loop with iterations of the same cost.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void even_loop() {
  jobs::parallel_for(0, 4000, [](int) { diagnosis::compute_for(100us); });
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { even_loop(); });
  return 0;
}
