// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Crowds: a million timers, a thousand external threads at once, storms of forks. Nothing is lost,
// and memory, threads and descriptors return to their level.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#if defined(JOBS_TEST_WITH_IO)
#include "jobs/io/io.hpp"
#endif
#include "tests/support/in_child.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using namespace jobs::test;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kAllowedKib = 32 * 1024;  // above the level before

// 20,000 fibers wait 50 times each. A quarter of the timers is cancelled by a wake-up.
TEST(Crowd, MillionTimersEndInTime) {
  SCOPED_TRACE(replay());
  constexpr unsigned kFibers = 20'000;
  constexpr unsigned kWaits = 50;
  jobs::Scheduler scheduler({.stack_size = 16 * 1024});
  for (int round = 0; round < scale(); ++round) {
    std::atomic<std::uint64_t> ended = 0;
    std::atomic<std::uint64_t> early = 0;
    std::atomic<std::int64_t> latest = 0;  // nanoseconds
    const auto live = [&](std::uint64_t number) {
      std::mt19937_64 random(seed() + number);
      for (unsigned i = 0; i < kWaits; ++i) {
        const std::chrono::nanoseconds duration(random() % 50'000'000);
        const auto deadline = Clock::now() + duration;
        if (random() % 4 == 0) {
          jobs::Event event;
          jobs::Counter done;
          jobs::spawn(done, [&] { event.signal(); });
          static_cast<void>(event.wait_until(deadline));
          done.wait();
        } else {
          jobs::this_fiber::sleep_until(deadline);
          const auto late = (Clock::now() - deadline).count();
          if (late < 0) ++early;
          std::int64_t before = latest;
          while (late > before && !latest.compare_exchange_weak(before, late)) {
          }
        }
        ++ended;
      }
    };
    scheduler.run([&] {
      jobs::Counter done;
      for (unsigned i = 0; i < kFibers; ++i)
        jobs::spawn(done, [&live, i] { live(std::uint64_t{i} << 32); });
      done.wait();
    });
    EXPECT_EQ(ended, std::uint64_t{kFibers} * kWaits);
    EXPECT_EQ(early, 0U);
    std::printf("latest: %.3f ms\n", static_cast<double>(latest) / 1e6);
    EXPECT_LT(latest, 10'000'000'000);  // the machine may be busy
  }
}

void take_part(std::uint64_t number) {
  std::mt19937_64 random(seed() + number);
  const int size = 1 + static_cast<int>(random() % 200);
  std::atomic<int> ran = 0;
  jobs::parallel_for(0, size, [&](int) { ++ran; });
  EXPECT_EQ(ran, size);
  jobs::Counter done;
  for (int i = 0; i < 10; ++i) jobs::spawn(done, [&ran] { ++ran; });
  done.wait();
  EXPECT_EQ(ran, size + 10);
  const auto [a, b] = jobs::fork_join([&] { return ++ran; }, [&] { return ++ran; });
  EXPECT_EQ(a + b, 2 * size + 23);
  static_cast<void>(jobs::Event().wait_for(std::chrono::microseconds(random() % 2000)));
}

TEST(Crowd, ThousandThreadsTakePartAtOnce) {
  SCOPED_TRACE(replay());
  constexpr int kThreads = 1000;
  const auto round = [&](std::uint64_t number) {
    std::latch ready(kThreads);
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&ready, number, t] {
        ready.arrive_and_wait();
        for (std::uint64_t i = 0; i < 5; ++i)
          take_part(number << 40 | static_cast<std::uint64_t>(t) << 8 | i);
      });
    }
  };
  round(0);
  round(1);
  const std::size_t resident = resident_kib();
  const std::size_t descriptors = open_descriptors();
  for (int i = 2; i < 5 * scale(); ++i) round(static_cast<std::uint64_t>(i));
  EXPECT_LT(resident_kib(), resident + kAllowedKib);
  EXPECT_EQ(open_descriptors(), descriptors);
}

// --- forks --------------------------------------------------------------------------------------

long sum_to(long n) {
  return jobs::parallel_reduce(0L, n, 0L, std::plus<>(), [](long i) { return i; });
}

int live_as_child() {
  if (sum_to(1000) != 499'500) return 1;
  jobs::Scheduler own({.worker_count = 2});
  if (own.run([] { return jobs::Fiber<int>([] { return 7; }).join(); }) != 7) return 2;
#if defined(JOBS_TEST_WITH_IO)
  int ends[2];
  std::byte letter{1};
  if (pipe(ends) != 0) return 3;
  if (jobs::io::write(ends[1], {&letter, 1}, {.timeout = 20s}).value() != 1) return 4;
  if (jobs::io::read(ends[0], {&letter, 1}, {.timeout = 20s}).value() != 1) return 5;
#endif
  return 0;
}

// Threads and jobs fork at once, while workers run and schedulers come and go.
TEST(Crowd, ForksInAStorm) {
  constexpr int kForking = 4;
  constexpr int kChildren = 40;  // of each forking thread
#if defined(JOBS_TEST_WITH_IO)
  static_cast<void>(jobs::io::backend());
#endif
  ASSERT_EQ(sum_to(1000), 499'500);
  const std::size_t descriptors = open_descriptors();
  std::atomic<bool> stop = false;
  std::atomic<int> failed = 0;
  {
    std::jthread load([&] {
      while (!stop) {
        EXPECT_EQ(sum_to(1000), 499'500);
        jobs::Scheduler({.worker_count = 2}).run([] { jobs::yield(); });
      }
    });
    std::vector<std::jthread> threads;
    for (int t = 0; t < kForking; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kChildren * scale(); ++i) {
          int result = -1;
          if (i % 4 == 0) {
            jobs::Counter done;
            jobs::spawn(done, [&] { result = in_child(&live_as_child); });
            done.wait();
          } else {
            result = in_child(&live_as_child);
          }
          if (result == 0) continue;
          std::printf("child %d: %d\n", i, result);
          ++failed;
        }
      });
    }
    threads.clear();
    stop = true;
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(sum_to(1000), 499'500);
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
