// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Healthy: a mutex that jobs hold for a small part of their time.
#include <chrono>
#include <mutex>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

jobs::Mutex sum_mutex;

int add_up() {
  int sum = 0;
  jobs::Counter done;
  for (int i = 0; i < 2000; ++i) {
    jobs::spawn(done, [&sum] {
      diagnosis::compute_for(200us);
      const std::scoped_lock lock(sum_mutex);
      ++sum;
    });
  }
  done.wait();
  return sum;
}

}  // namespace

int main() {
  return jobs::default_scheduler().run([] { return add_up(); }) == 2000 ? 0 : 1;
}
