// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Example of the API reference: simulation, by the library jobs::testing.
// The header shows the marked part.
#include <iostream>

#include "jobs/jobs.hpp"
#include "jobs/testing.hpp"

namespace {

//! [simulation]
bool finds_no_error() {
  const auto result = jobs::testing::search({}, 100, [] {
    jobs::Scheduler scheduler({.worker_count = 3});
    int sum = 0;
    scheduler.run([&] {
      jobs::Mutex mutex;
      jobs::Counter done;
      for (int i = 1; i <= 3; ++i) {
        jobs::spawn(done, [&, i] {
          mutex.lock();
          sum += i;
          mutex.unlock();
        });
      }
      done.wait();
    });
    jobs::testing::check(sum == 6, "the sum is wrong");
  });
  if (result) std::cout << result.text();  // the finding, and the seed that reproduces it
  return !result;
}
//! [simulation]

}  // namespace

int main() { return finds_no_error() ? 0 : 1; }
