// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Idle: how many workers a searcher wakes that has found work. The models show that no job is lost.
#include "jobs/runtime/parking/idle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "tests/support/parked_host.hpp"

namespace {

using jobs::detail::Idle;
using jobs::detail::Parker;

constexpr unsigned kWorkers = 6;

// A message that ends the park of a worker.
struct End {
  jobs::detail::Wakeup wakeup{nullptr};
};

// Worker 0 finds work while the other workers are parked. Returns how many of those it wakes.
unsigned woken_by_found_work(bool sees_more_work, bool expects_lone_jobs = false) {
  std::array<jobs::test::ParkedHost, kWorkers> workers;
  std::array<Parker*, kWorkers> pointers{};
  for (unsigned i = 0; i < kWorkers; ++i) pointers[i] = &workers[i].parker;
  Idle idle(pointers.data(), kWorkers);
  idle.standby().set_limits(kWorkers, kWorkers + 1);  // a CPU is free

  std::array<bool, kWorkers> is_woken{};
  std::array<End, kWorkers> ends;
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < kWorkers; ++i) {
    threads.emplace_back([&, i] {
      static_cast<void>(idle.start_searching());
      is_woken[i] =
          idle.park(
              i, jobs::os::kNever, Idle::StandBy::kNever, [] { return Idle::Visible::kNothing; },
              [] { return jobs::os::Nanoseconds{0}; },
              [] { return false; }) == Idle::Woken::kToSearch;
    });
    while (!idle.is_parked(i)) std::this_thread::yield();
  }
  while (idle.has_searching_workers()) std::this_thread::yield();
  if (!expects_lone_jobs) idle.lone_jobs().more_came();
  static_cast<void>(idle.start_searching());
  idle.found_work(0, [=] { return sees_more_work; });
  for (unsigned i = 1; i < kWorkers; ++i)
    workers[i].parker.inbox.push(ends[i].wakeup);  // ends the other parks
  threads.clear();
  return static_cast<unsigned>(std::count(is_woken.begin(), is_woken.end(), true));
}

TEST(Idle, FoundWorkWakesOneWorker) { EXPECT_EQ(woken_by_found_work(false), 1u); }

// So each wake-up adds two awake workers.
TEST(Idle, FoundWorkWakesASecondWorkerIfMoreWorkIsVisible) {
  EXPECT_EQ(woken_by_found_work(true), 2u);
}

TEST(Idle, FoundWorkWakesNoWorkerIfJobsComeAlone) {
  EXPECT_EQ(woken_by_found_work(false, true), 0u);
}

TEST(Idle, FoundWorkWakesTwoWorkersIfItSeesMoreWorkAfterLoneJobs) {
  EXPECT_EQ(woken_by_found_work(true, true), 2u);
}

}  // namespace
