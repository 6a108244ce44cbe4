// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: jobs that sleep in the kernel, and take their worker with them.
#include <chrono>
#include <thread>

#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

void ask_a_slow_device() {
  jobs::Counter done;
  for (int i = 0; i < 40; ++i) {
    jobs::spawn(done, [] { std::this_thread::sleep_for(5ms); });  // the place of the finding
  }
  done.wait();
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { ask_a_slow_device(); });
  return 0;
}
