// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A real-time thread that finds an internal lock held by a normal thread leaves it the CPU.
#include "tests/support/real_time.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "jobs/jobs.hpp"
#include "tests/support/scale.hpp"

namespace jobs {
namespace {

using namespace std::chrono_literals;
using test::RealTime;

// The lock of the queue of jobs from outside.
TEST_F(RealTime, SpawnWaitsForNoNormalThreadThatHasLostItsCpu) {
  std::atomic<bool> stop{false};
  Scheduler scheduler({.worker_count = 2});
  std::thread spawner([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      Counter done;
      for (int i = 0; i < 1000; ++i) scheduler.spawn(done, [] {});
      done.wait();
    }
  });
  EXPECT_LT(longest_on_real_time_thread(test::scaled(5000), [&] { scheduler.spawn([] {}); }),
            kBound);
  stop = true;
  spawner.join();
}

// The lock bit of a list of waiters.
TEST_F(RealTime, SemaphoreWaitsForNoNormalThreadThatHasLostItsCpu) {
  std::atomic<bool> stop{false};
  Semaphore semaphore(0);
  std::thread normal([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      semaphore.release(2);
      static_cast<void>(semaphore.try_acquire_for(0s));
      static_cast<void>(semaphore.try_acquire_for(1us));
    }
  });
  std::thread waiting([&] {
    while (!stop.load(std::memory_order_relaxed))
      static_cast<void>(semaphore.try_acquire_for(20us));
  });
  const auto operation = [&] {
    semaphore.release();
    static_cast<void>(semaphore.try_acquire());
  };
  EXPECT_LT(longest_on_real_time_thread(test::scaled(5000), operation), kBound);
  stop = true;
  normal.join();
  waiting.join();
}

}  // namespace
}  // namespace jobs
