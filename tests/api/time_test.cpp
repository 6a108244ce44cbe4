// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Sleeping, periodic calls, and deadlines under load.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/every.hpp"
#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Time : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Time);

void spin_for(std::chrono::microseconds duration) {
  for (const auto end = Clock::now() + duration; Clock::now() < end;) {
  }
}

TEST_P(Time, WakesNoFiberEarly) {
  run([&] {
    jobs::Counter done;
    std::atomic<int> early{0};
    for (int i = 0; i < 2'000; ++i) {
      jobs::spawn(done, [&early, i] {
        const auto until = Clock::now() + std::chrono::microseconds(i * 7919 % 50'000);
        jobs::this_fiber::sleep_until(until);
        if (Clock::now() < until) ++early;
      });
    }
    done.wait();
    EXPECT_EQ(early, 0);
  });
  if (!is_external()) {
    EXPECT_GT(scheduler().stats().timeouts, 1'000u);
  }
}

TEST_P(Time, AWorkerWakesAheadOfACrowd) {
  if (is_external()) GTEST_SKIP() << "nobody can ask the default scheduler";
  if (GetParam().workers != 1) GTEST_SKIP() << "of one worker";
  // Enough deadlines that they move to finer slots before they are due: a sleeping worker has to
  // wake up for the move. If the machine lets the worker oversleep, one wake-up serves both; the
  // test then repeats.
  std::uint64_t parks = 0;
  for (int attempt = 0; attempt < 100 && parks < 2; ++attempt) {
    run([&] {
      jobs::Counter done;
      const std::uint64_t before = scheduler().stats().parks;
      const auto until = Clock::now() + 100ms;
      for (int i = 0; i < 200; ++i)
        jobs::spawn(done, [until] { jobs::this_fiber::sleep_until(until); });
      done.wait();
      parks = scheduler().stats().parks - before;
    });
  }
  EXPECT_GE(parks, 2u);
}

TEST_P(Time, SleepersWakeWhileTheWorkersNeverRunOutOfJobs) {
  // Jobs that spawn their successors: the deques are never empty, and no worker ever parks.
  run([&] {
    std::atomic<bool> stop{false};
    jobs::Counter load;
    std::function<void()> job = [&] {
      spin_for(20us);
      if (!stop) jobs::spawn(load, job);
    };
    for (int i = 0; i < 32; ++i) jobs::spawn(load, job);
    for (int i = 0; i < 10; ++i) {
      jobs::Counter sleeper;
      jobs::spawn(sleeper, [] { jobs::this_fiber::sleep_for(1ms); });
      sleeper.wait();
    }
    stop = true;
    load.wait();
  });
}

TEST_P(Time, SleepersWakeWhileFibersNeverStopYielding) {
  run([&] {
    std::atomic<bool> stop{false};
    jobs::Counter load;
    for (int i = 0; i < 32; ++i) {
      jobs::spawn(load, [&] {
        while (!stop) jobs::yield();
      });
    }
    jobs::Event from_outside;
    std::jthread outside([&] {
      std::this_thread::sleep_for(2ms);
      from_outside.signal();
    });
    jobs::Counter sleeper;
    jobs::spawn(sleeper, [&] {
      jobs::this_fiber::sleep_for(2ms);
      from_outside.wait();  // the worker also checks its inbox
    });
    sleeper.wait();
    stop = true;
    load.wait();
  });
}

TEST_P(Time, TheClockIsReadAsOftenAsTheJobsAreLong) {
  // The worker cannot predict the length of jobs, but it must not let 64 jobs of 1 ms pass each
  // time.
  if (GetParam().workers != 1) GTEST_SKIP() << "of one worker";
  run([&] {
    constexpr int kSleeps = 15;
    std::atomic<bool> stop{false};
    std::atomic<Clock::time_point> until{Clock::time_point::max()};
    // Jobs that began after the deadline, before the sleeper ran.
    std::atomic<int> jobs_too_many{0};
    jobs::Counter load;
    std::function<void()> job = [&] {
      if (Clock::now() > until.load()) ++jobs_too_many;
      spin_for(1ms);
      if (!stop) jobs::spawn(load, job);
    };
    for (int i = 0; i < 4; ++i) jobs::spawn(load, job);
    for (int i = 0; i < kSleeps; ++i) {
      until = Clock::now() + 2ms;
      jobs::this_fiber::sleep_until(until.load());
      until = Clock::time_point::max();
    }
    stop = true;
    load.wait();
    EXPECT_LT(jobs_too_many, 64 + 4 * kSleeps);
  });
}

TEST_P(Time, SleepRejectsWhatIsNotATime) {
  run([] {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(jobs::this_fiber::sleep_for(std::chrono::duration<double>(kNan)), jobs::Error);
    jobs::this_fiber::sleep_for(0s);
    jobs::this_fiber::sleep_for(-1h);
    jobs::this_fiber::sleep_until(Clock::time_point::min());
  });
}

TEST_P(Time, StatsSayHowLateItWas) {
  if (is_external()) GTEST_SKIP() << "nobody can ask the default scheduler";
  // With one worker, jobs of 5 ms make the wait late: after some attempts, since the fiber may be
  // interrupted before it arms its deadline.
  run([&] {
    do {
      jobs::Counter counter(1);
      jobs::Fiber<> sleeper([&] { EXPECT_FALSE(counter.wait_for(1ms)); });
      while (sleeper.joinable() && !sleeper.join_for(0s)) spin_for(5ms), jobs::yield();
      counter.done();
    } while (is_serial() && scheduler().stats().late_timeouts == 0);
  });
  const jobs::Stats stats = scheduler().stats();
  EXPECT_GE(stats.timeouts, 1u);
  EXPECT_LE(stats.late_timeouts, stats.timeouts);
  EXPECT_EQ(stats.late_timeouts > 0, stats.max_lateness_ns > 1'000'000);
}

class Every : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Every);

TEST(EveryPeriod, IsAMultipleOfTheIntervalHoweverLateTheCallsAre) {
  using jobs::detail::next_period;
  EXPECT_EQ(next_period(1'000, 300, 1'000), 1'300);
  EXPECT_EQ(next_period(1'000, 300, 1'299), 1'300);
  EXPECT_EQ(next_period(1'000, 300, 1'300), 1'600);
  EXPECT_EQ(next_period(1'000, 300, 1'310), 1'600) << "late by 10, and the next one is not";
  EXPECT_EQ(next_period(1'000, 300, 2'050), 2'200) << "what was missed is left out";
  EXPECT_EQ(next_period(1'000, 1e9L / 3, 1'000'000'999), 1'000'001'000)
      << "the third of three thirds of a second";
  EXPECT_EQ(next_period(1'000, 1e300L, 2'000), jobs::os::kNever);
}

TEST_P(Every, CallsOnceInEachPeriodAndNeverEarly) {
  run([] {
    const auto start = Clock::now();
    int calls = 0;
    jobs::every(1ms, [&] {
      EXPECT_GE(Clock::now(), start + 1ms * ++calls);
      return calls < 10;
    });
    EXPECT_EQ(calls, 10);
  });
}

TEST_P(Every, LeavesOutWhatItMissed) {
  run([] {
    const auto start = Clock::now();
    int calls = 0;
    jobs::every(1ms, [&] {
      if (++calls == 1) spin_for(20ms);
      return calls < 5;
    });
    EXPECT_GE(Clock::now() - start, 24ms) << "calls were made up for";
  });
}

TEST_P(Every, EndsWhenItsFiberIsAskedToStop) {
  run([] {
    std::atomic<int> calls{0};
    jobs::Event called;
    jobs::Fiber<> often([&] {
      jobs::every(1ms, [&] {
        if (++calls == 3) called.signal();
      });
    });
    jobs::Fiber<> never(
        [&] { jobs::every(10h, [] { ADD_FAILURE() << "called after ten hours"; }); });
    called.wait();
    often.request_stop();
    EXPECT_THROW(often.join(), jobs::Cancelled);
    EXPECT_GE(calls, 3);
    never.request_stop();
    EXPECT_THROW(never.join(), jobs::Cancelled);
  });
}

TEST_P(Every, EndsAtAStopFromAnotherThread) {
  run([] {
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(2ms);
      source.request_stop();
    });
    jobs::every(std::chrono::hours::max(), [] { ADD_FAILURE(); }, source.get_token());
    jobs::every(
        1ms, [] { ADD_FAILURE() << "called though it was stopped before"; }, source.get_token());
  });
}

TEST_P(Every, PassesOnWhatTheFunctionThrows) {
  run([] {
    EXPECT_THROW(jobs::every(1us, [] { throw std::runtime_error("enough"); }), std::runtime_error);
  });
}

TEST_P(Every, RejectsIntervalsThatAreNone) {
  run([] {
    for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_THROW(jobs::every(std::chrono::duration<double>(seconds), [] {}), jobs::Error)
          << seconds;
    }
  });
}

}  // namespace
