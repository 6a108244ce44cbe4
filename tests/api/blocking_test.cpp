// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/blocking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/runtime/scheduler/blocking_pool.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;

class Blocking : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Blocking);

TEST_P(Blocking, ReturnsTheResult) {
  run([] {
    EXPECT_EQ(jobs::blocking([] { return 42; }), 42);
    EXPECT_EQ(*jobs::blocking([] { return std::make_unique<int>(7); }), 7);
    int value = 0;
    int& same = jobs::blocking([&value]() -> int& { return value; });
    EXPECT_EQ(&same, &value);
    jobs::blocking([&value] { value = 3; });
    EXPECT_EQ(value, 3);
  });
}

TEST_P(Blocking, ThrowsWhatTheFunctionThrew) {
  run([] {
    EXPECT_THROW(jobs::blocking([]() -> int { throw std::out_of_range("too far"); }),
                 std::out_of_range);
    EXPECT_EQ(jobs::blocking([] { return 1; }), 1);
  });
}

TEST_P(Blocking, HoldsAThreadOfItsOwn) {
  run([&] {
    const auto here = std::this_thread::get_id();
    const auto there = jobs::blocking([] { return std::this_thread::get_id(); });
    EXPECT_EQ(here == there, is_external()) << "in place only where there is no worker to hold up";
    EXPECT_EQ(std::this_thread::get_id(), here) << "the fiber has come home";
  });
}

TEST_P(Blocking, TheWorkersGoOnMeanwhile) {
  if (is_external()) GTEST_SKIP() << "runs in place";
  run([] {
    // The call waits for a job that only the same worker can take, and only during the call.
    std::latch met(1);
    jobs::Counter done;
    for (int i = 0; i < 16; ++i) {
      jobs::spawn(done, [&] { jobs::blocking([&] { met.wait(); }); });
    }
    jobs::spawn(done, [&] { met.count_down(); });
    done.wait();
  });
  EXPECT_EQ(scheduler().stats().blocking_calls, 16u);
}

TEST_P(Blocking, RunsHundredsAtOnce) {
  if (is_external()) GTEST_SKIP() << "runs in place";
  constexpr int kCalls = 200;
  run([] {
    std::barrier<> all(kCalls);  // passes only if all calls run at the same time
    jobs::Counter done;
    for (int i = 0; i < kCalls; ++i) {
      jobs::spawn(done, [&] { jobs::blocking([&] { all.arrive_and_wait(); }); });
    }
    done.wait();
  });
  EXPECT_EQ(scheduler().stats().blocking_threads, static_cast<unsigned>(kCalls));
}

TEST_P(Blocking, ManyShortCallsShareFewThreads) {
  std::atomic<int> calls{0};
  run([&] {
    jobs::Counter done;
    for (int i = 0; i < 8; ++i) {
      jobs::spawn(done, [&] {
        for (int k = 0; k < 200; ++k) jobs::blocking([&] { ++calls; });
      });
    }
    done.wait();
  });
  EXPECT_EQ(calls, 1'600);
  if (!is_external()) {
    // More than eight: a blocking thread may not be idle yet when its caller has returned.
    EXPECT_LE(scheduler().stats().blocking_threads, 100u);
  }
}

TEST_P(Blocking, NestsInPlace) {
  run([] {
    const bool same = jobs::blocking([] {
      const auto here = std::this_thread::get_id();
      return jobs::blocking([here] { return std::this_thread::get_id() == here; });
    });
    EXPECT_TRUE(same);
  });
}

TEST_P(Blocking, MayUseEveryWaitOfTheLibrary) {
  run([] {
    jobs::Event asked, answered;
    jobs::Fiber<> fiber([&] {
      asked.wait();
      answered.signal();
    });
    jobs::blocking([&] {
      asked.signal();
      answered.wait();
    });
    fiber.join();
  });
}

TEST_P(Blocking, SeesTheStopOfItsFiber) {
  run([] {
    jobs::Event started;
    jobs::Fiber<bool> fiber([&] {
      return jobs::blocking([&](std::stop_token stop) {
        started.signal();
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return true;
      });
    });
    started.wait();
    fiber.request_stop();
    EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Blocking, AShutdownWaitsForIt) {
  if (is_external()) GTEST_SKIP() << "the default scheduler goes on";
  std::atomic<bool> ended{false};
  run([&] {
    jobs::spawn([&] {
      jobs::blocking([] { std::this_thread::sleep_for(20ms); });
      ended = true;
    });
  });
  scheduler().shutdown();
  EXPECT_TRUE(ended);
  EXPECT_EQ(scheduler().stats().blocking_threads, 0u);
}

TEST(BlockingLimit, QueuesWhatIsTooMuchInTheOrderOfTheCalls) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_blocking_threads = 1});
  std::vector<int> order;
  scheduler.run([&] {
    jobs::Counter done;
    std::latch go(1);
    jobs::Event first_runs;
    jobs::spawn(done, [&] {
      jobs::blocking([&] {
        first_runs.signal();
        go.wait();
      });
    });
    first_runs.wait();
    for (int i = 0; i < 10; ++i) {
      jobs::spawn(done, [&order, i] { jobs::blocking([&order, i] { order.push_back(i); }); });
      while (scheduler.stats().blocking_calls < static_cast<unsigned>(i) + 2) jobs::yield();
    }
    EXPECT_TRUE(order.empty());
    go.count_down();
    done.wait();
    EXPECT_EQ(order.size(), 10u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(scheduler.stats().blocking_threads, 1u);
  });
}

TEST(BlockingLimit, OfNoneIsAnError) {
  EXPECT_THROW(jobs::Scheduler({.worker_count = 1, .max_blocking_threads = 0}), jobs::Error);
}

TEST(BlockingPool, EndsThreadsThatHaveBeenIdleForAWhile) {
  struct Nothing : jobs::detail::Job {
    Nothing() : Job([](Job&) {}) {}
  };
  jobs::detail::BlockingPool pool(4, 20ms);
  for (int round = 0; round < 3; ++round) {
    {
      std::vector<std::unique_ptr<Nothing>> calls;
      for (int i = 0; i < 8; ++i) pool.submit(*calls.emplace_back(std::make_unique<Nothing>()));
      for (auto& call : calls) call->join();
    }
    EXPECT_GE(pool.threads.read(), 1u);
    EXPECT_LE(pool.threads.read(), 4u);
    while (pool.threads.read() > 0) std::this_thread::sleep_for(1ms);
  }
}

}  // namespace
