// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's test by the component jobs::testing: no seed of ten finds a fault.
#include <jobs/jobs.hpp>
#include <jobs/testing.hpp>

int main() {
  const auto found = jobs::testing::search({}, 10, [] {
    jobs::Scheduler scheduler({.worker_count = 2});
    int sum = 0;
    scheduler.run([&] { jobs::fork_join([] {}, [&] { sum = 42; }); });
    jobs::testing::check(sum == 42, "the fork was lost");
  });
  return found ? 1 : 0;
}
