// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Idle: a worker with a real-time priority that has been chosen by a waker leaves the waker the
// CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <thread>

#include "jobs/base/os.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "tests/support/parked_host.hpp"
#include "tests/support/real_time.hpp"
#include "tests/support/scale.hpp"

namespace jobs::detail {
namespace {

using test::RealTime;

std::uint64_t cpu_time() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// The deadline of the worker often passes after the waker has chosen the worker, and before the
// token is in its inbox.
TEST_F(RealTime, ParkedWorkerLeavesTheCpuToTheThreadThatWakesIt) {
  constexpr std::uint64_t kMostCpu = 100'000'000;  // nanoseconds
  test::ParkedHost worker;
  Parker& parker = worker.parker;
  Parker* const parkers[] = {&parker};
  Idle idle(parkers, 1);
  std::atomic<bool> stop{false};
  std::thread waker([&] {
    while (!stop.load(std::memory_order_relaxed)) idle.published_outside();
  });
  std::uint64_t most = 0;
  int chosen = 0;
  std::thread([&] {
    ASSERT_TRUE(set_real_time());
    std::mt19937 random(1);
    for (int i = 0, rounds = test::scaled(100'000); i < rounds && most < kMostCpu; ++i) {
      static_cast<void>(idle.start_searching());
      const std::uint64_t before = cpu_time();
      const Idle::Woken woken = idle.park(
          0, os::now() + static_cast<os::Nanoseconds>(random() % 10'000), Idle::StandBy::kNever,
          [] { return Idle::Visible::kNothing; }, [] { return os::Nanoseconds{0}; },
          [] { return true; });
      most = std::max(most, cpu_time() - before);
      if (woken != Idle::Woken::kToSearch) continue;
      ++chosen;
      idle.found_work(0, [] { return false; });
    }
  }).join();
  stop = true;
  waker.join();
  std::printf("most %.3f ms; chosen %d times\n", static_cast<double>(most) * 1e-6, chosen);
  EXPECT_LT(most, kMostCpu);
}

}  // namespace
}  // namespace jobs::detail
