// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Healthy: jobs that are long enough, and one wait for all of them.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void long_enough_jobs() {
  jobs::Counter done;
  for (int i = 0; i < 2000; ++i) {
    jobs::spawn(done, [] { diagnosis::compute_for(200us); });
  }
  done.wait();
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { long_enough_jobs(); });
  return 0;
}
