// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: one long job, which the parallel loop behind it needs.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void prepare_and_render() {
  jobs::Counter prepared;
  jobs::spawn(prepared, [] { diagnosis::compute_for(150ms); });  // the place of the finding
  prepared.wait();
  jobs::parallel_for(0, 200, [](int) { diagnosis::compute_for(100us); });
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { prepare_and_render(); });
  return 0;
}
