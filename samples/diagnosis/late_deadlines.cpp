// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: deadlines on workers whose jobs run for 20 ms without a pause.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void run_long_jobs(jobs::Counter& done) {
  for (unsigned i = 0; i < 20 * jobs::default_scheduler().worker_count(); ++i) {
    jobs::spawn(done, [] { diagnosis::compute_for(20ms); });  // the place of the finding
  }
}

void wake_up_in_between() {
  jobs::Counter done;
  for (unsigned i = 0; i < 4 * jobs::default_scheduler().worker_count(); ++i) {
    jobs::spawn(done, [] {
      for (int n = 0; n < 10; ++n) jobs::this_fiber::sleep_for(2ms);
    });
  }
  jobs::yield();  // the sleeps begin
  run_long_jobs(done);
  done.wait();
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { wake_up_in_between(); });
  return 0;
}
