// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RealTime: the fixture of tests with threads of a real-time priority beside normal threads, all on
// one CPU. If a real-time thread spins or yields while it waits for a normal thread, the normal
// thread gets the CPU when the kernel throttles real-time threads: after a second. The tests are
// skipped if the system refuses SCHED_FIFO.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

namespace jobs::test {

class RealTime : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;
  // The kernel throttles after 950 ms. The time slices of normal threads take milliseconds.
  static constexpr std::chrono::milliseconds kBound{100};

  static bool set_real_time() {
    const sched_param priority{.sched_priority = 10};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
  }

  void SetUp() override {
    CPU_ZERO(&before_);
    ASSERT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    bool allowed = false;
    std::thread([&] { allowed = set_real_time(); }).join();
    if (!allowed) GTEST_SKIP() << "the system refuses SCHED_FIFO";
    std::size_t cpu = 0;
    while (CPU_ISSET(cpu, &before_) == 0) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // inherited by all threads of the test
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  // Calls operation() at random times on a real-time thread, until `calls` calls have been made or
  // one has taken longer than the bound. Returns the longest time.
  template <class F>
  static Clock::duration longest_on_real_time_thread(int calls, const F& operation) {
    Clock::duration longest{};
    std::thread([&] {
      ASSERT_TRUE(set_real_time());
      std::mt19937 random(1);
      for (int i = 0; i < calls && longest < kBound; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(50 + random() % 200));
        const auto start = Clock::now();
        operation();
        longest = std::max(longest, Clock::now() - start);
      }
    }).join();
    std::printf("longest: %.3f ms\n", std::chrono::duration<double, std::milli>(longest).count());
    return longest;
  }

 private:
  cpu_set_t before_;
};

}  // namespace jobs::test
