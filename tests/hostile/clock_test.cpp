// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of CLOCK_REALTIME, as by an administrator or by NTP: this program's clock_gettime() lets
// the clock jump by hours at each call. Waits of the library neither read that clock nor depend on
// it.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "jobs/jobs.hpp"

namespace {

std::atomic<bool> steps = false;
std::atomic<std::uint64_t> reads = 0;  // of the clock that steps

}  // namespace

extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t clock,
                                                            timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const bool is_real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (!is_real || !steps.load(std::memory_order_relaxed)) return result;
  constexpr time_t kHour = 3600;
  time->tv_sec += reads.fetch_add(1, std::memory_order_relaxed) % 2 == 0 ? kHour : -kHour;
  return result;
}

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class ClockSteps : public testing::Test {
 protected:
  void SetUp() override {
    steps = true;
    static_cast<void>(std::chrono::system_clock::now());
    if (reads == 0) GTEST_SKIP() << "the C++ library reads the clock by another function";
    reads = 0;
  }
  void TearDown() override { steps = false; }
};

// Runs a wait that ends by its deadline.
template <class F>
void expect_duration(Clock::duration expected, const F& wait) {
  const auto start = Clock::now();
  EXPECT_FALSE(wait());
  const auto taken = Clock::now() - start;
  EXPECT_GE(taken, expected);
  EXPECT_LT(taken, expected + 5s);
}

void wait_in_all_ways() {
  jobs::Event event;
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  jobs::Semaphore permits(0);
  jobs::Counter count(1);
  jobs::Channel<int> channel(1);
  expect_duration(3ms, [&] { return event.wait_for(3ms); });
  expect_duration(3ms, [&] { return event.wait_until(Clock::now() + 3ms); });
  expect_duration(3ms, [&] { return permits.try_acquire_for(3ms); });
  expect_duration(3ms, [&] { return count.wait_for(3ms); });
  expect_duration(3ms, [&] { return channel.try_pop_for(3ms).has_value(); });
  expect_duration(3ms, [&] {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 3ms, [] { return false; });
  });
  count.done();
}

TEST_F(ClockSteps, ChangeNoWaitAndAreNotNoticed) {
  {
    jobs::Scheduler scheduler({.worker_count = 2, .deadlock_after = 1h});
    wait_in_all_ways();  // on a thread
    scheduler.run([] {
      wait_in_all_ways();
      expect_duration(3ms, [] { return jobs::this_fiber::sleep_for(3ms), false; });
      expect_duration(3ms, [] {
        return jobs::move_on_after(3ms, [] { return jobs::Event().wait(), true; }, false);
      });
      expect_duration(
          3ms, [] { return jobs::blocking([] { std::this_thread::sleep_for(3ms); }), false; });
    });
    std::this_thread::sleep_for(20ms);  // workers sleep
    EXPECT_TRUE(scheduler.shutdown_for(10s));
  }
  EXPECT_EQ(reads, 0);
}

// A deadline on the system's clock is the wish of the caller: one reading of this clock.
TEST_F(ClockSteps, AreReadOnceForADeadlineOnThatClock) {
  jobs::Event event;
  const std::chrono::system_clock::time_point past(1s);
  EXPECT_FALSE(event.wait_until(past));
  EXPECT_EQ(reads, 1);
}

}  // namespace
