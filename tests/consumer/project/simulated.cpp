// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's test with the component jobs::testing: none of ten seeds finds a fault.
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
