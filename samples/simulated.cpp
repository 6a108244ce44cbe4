// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A test that searches for an order of events that breaks a program, and replays it. Two buyers
// compete for one seat. A buyer asks for the price between its check and its purchase; meanwhile
// the other buyer may buy the seat. Needs jobs::testing. Exits with 0 if the test finds the
// mistake, and finds it again by its seed.
#include <cstdio>

#include "jobs/jobs.hpp"
#include "jobs/testing.hpp"

namespace {

void sell() {
  jobs::Scheduler scheduler({.worker_count = 2});
  int free_seats = 1, sold = 0;
  scheduler.run([&] {
    jobs::Counter done;
    for (int buyer = 0; buyer < 2; ++buyer) {
      jobs::spawn(done, [&] {
        if (free_seats == 0) return;
        jobs::yield();  // asks for the price
        --free_seats;
        ++sold;
      });
    }
    done.wait();
  });
  jobs::testing::check(sold == 1, "a seat was sold twice");
}

}  // namespace

int main() {
  const auto found = jobs::testing::search({}, 10'000, sell);
  std::puts(found.text().c_str());
  if (!found) return 1;
  const auto again = jobs::testing::simulate({}, found.first.seed, sell);
  std::puts(again.text().c_str());
  return again.digest == found.first.digest ? 0 : 1;
}
