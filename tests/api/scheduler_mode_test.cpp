// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerMode::kInline: jobs and Fibers start before the call that spawns them returns, on the
// thread that constructs the scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/default_scheduler.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/spawn_after.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/spin_lock.hpp"
#include "jobs/task_graph.hpp"
#include "tests/support/channel_sum.hpp"
#include "tests/support/error_code.hpp"

namespace {

using jobs::ErrorCode;
using jobs::SchedulerMode;
using jobs::test::code_of;

// A scheduler of the mode, on which each test runs.
struct InlineJobs : testing::Test {
  jobs::Scheduler scheduler{{.mode = SchedulerMode::kInline}};
};

TEST_F(InlineJobs, StartBeforeTheirSpawnReturns) {
  jobs::Counter done;
  std::string order;
  for (char name = 'a'; name < 'e'; ++name) {
    jobs::spawn(done, [&, name] { order += name; });
    order += '.';
  }
  bool ran = false;
  jobs::spawn([&] { ran = true; });
  EXPECT_TRUE(ran) << "a job without a counter, too";
  EXPECT_EQ(order, "a.b.c.d.");
  done.wait();
}

TEST_F(InlineJobs, StartInsideOfEachOther) {
  jobs::Counter done;
  std::string order;
  jobs::spawn(done, [&] {
    order += '1';
    jobs::spawn(done, [&] {
      order += '2';
      jobs::spawn(done, [&] { order += '3'; });
      order += '4';
    });
    order += '5';
  });
  EXPECT_EQ(order, "12345");
  done.wait();
}

TEST_F(InlineJobs, LetTheirSpawnerContinueWhenTheyWait) {
  jobs::Counter done;
  jobs::Event event;
  std::string order;
  jobs::spawn(done, [&] {
    order += 'a';
    event.wait();
    order += 'b';
  });
  order += '1';
  event.signal();
  order += '2';
  done.wait();
  EXPECT_EQ(order, "a12b");
}

// A consumer that starts before its producer is no deadlock.
TEST_F(InlineJobs, PassValuesThroughAChannel) {
  EXPECT_EQ(jobs::test::sum_through_channel(), 5050);
}

TEST_F(InlineJobs, WaitForALockOfTheirSpawner) {
  jobs::Mutex mutex;
  jobs::Counter done;
  std::string order;
  {
    const std::scoped_lock lock(mutex);
    jobs::spawn(done, [&] {
      order += 'a';
      const std::scoped_lock inner(mutex);
      order += 'b';
    });
    order += '1';
  }
  done.wait();
  EXPECT_EQ(order, "a1b");
}

TEST_F(InlineJobs, WaitForTheirTurnUnderASpinLock) {
  jobs::SpinLock lock;
  jobs::Counter done;
  bool ran = false;
  {
    const std::scoped_lock guard(lock);
    jobs::spawn(done, [&] { ran = true; });
    EXPECT_FALSE(ran);
  }
  done.wait();
  EXPECT_TRUE(ran);
}

TEST_F(InlineJobs, GiveTheirExceptionsToTheCounter) {
  jobs::Counter done;
  jobs::spawn(done, [] { throw std::runtime_error("inline"); });
  EXPECT_THROW(done.wait(), std::runtime_error);
}

TEST_F(InlineJobs, StartFibersAtOnceToo) {
  std::string order;
  jobs::Fiber<int> fiber([&] {
    order += 'a';
    jobs::yield();
    order += 'b';
    return 7;
  });
  order += '1';
  EXPECT_EQ(fiber.join(), 7);
  EXPECT_EQ(order, "a1b");
}

// Recursion by spawn, deeper than the mode nests.
TEST_F(InlineJobs, NestToALimit) {
  constexpr int kDepth = 2000;
  jobs::Counter done;
  int depth = 0;
  int most = 0;
  int runs = 0;
  std::function<void(int)> nest = [&](int left) {
    jobs::spawn(done, [&, left] {
      ++runs;
      most = std::max(most, ++depth);
      if (left > 1) nest(left - 1);
      --depth;
    });
  };
  nest(kDepth);
  done.wait();
  EXPECT_EQ(runs, kDepth);
  EXPECT_THAT(most, testing::AnyOf(256, 257));
}

// More jobs than the first ring of the deque has room for wait in it.
TEST_F(InlineJobs, StartAtOnceAlsoBehindManyOthers) {
  std::vector<jobs::JobHandle> waiting;
  int ran_after = 0;
  for (int i = 0; i < 5000; ++i) waiting.push_back(jobs::spawn_after({}, [&] { ++ran_after; }));
  jobs::Counter done;
  int ran = 0;
  for (int i = 0; i < 5000; ++i) {
    jobs::spawn(done, [&] { ++ran; });
    ASSERT_EQ(ran, i + 1);
    waiting.push_back(jobs::spawn_after({}, [&] { ++ran_after; }));
  }
  for (const jobs::JobHandle& job : waiting) job.wait();
  done.wait();
  EXPECT_EQ(ran_after, 10'000);
}

TEST_F(InlineJobs, KeepTheSerialOrderOfLoopsAndForks) {
  std::vector<int> order;
  jobs::parallel_for(0, 1000, [&](int i) { order.push_back(i); });
  jobs::fork_join([&] { order.push_back(1000); }, [&] { order.push_back(1001); },
                  [&] { order.push_back(1002); });
  std::vector<int> sorted(1003);
  for (int i = 0; i < 1003; ++i) sorted[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, sorted);
  EXPECT_EQ(jobs::parallel_reduce(sorted, 0), 1002 * 1003 / 2);
}

TEST_F(InlineJobs, RunOnTheConstructingThread) {
  const auto here = std::this_thread::get_id();
  const auto check = [here] { EXPECT_EQ(std::this_thread::get_id(), here); };
  jobs::Counter done;
  for (int i = 0; i < 10; ++i) jobs::spawn(done, check);
  jobs::spawn(done, check, {.priority = jobs::Priority::kLow});
  jobs::spawn(done, check, {.on = jobs::main_thread});
  jobs::parallel_for(0, 100, [&](int) { check(); });
  jobs::TaskGraph graph;
  graph.node(check).precede(graph.node(check));
  graph.run();
  jobs::spawn_at(std::chrono::steady_clock::now(), check).wait();
  done.wait();
}

TEST_F(InlineJobs, OfAnotherThreadRunWhenTheSchedulerWaits) {
  jobs::Counter done(1);
  bool ran = false;
  std::thread other([&] { scheduler.spawn(done, [&] { ran = true; }); });
  other.join();
  EXPECT_FALSE(ran);
  done.done();
  done.wait();
  EXPECT_TRUE(ran);
}

TEST_F(InlineJobs, HaveTheSameOrderInEachRun) {
  const auto order_of_a_run = [] {
    std::string order;
    jobs::Counter done;
    jobs::Event event;
    for (char name = 'a'; name < 'f'; ++name) {
      jobs::spawn(done, [&, name] {
        order += name;
        if (name % 2 == 0) event.wait();
        jobs::spawn(done, [&] { order += '.'; });
        order += name;
      });
    }
    event.signal();
    done.wait();
    return order;
  };
  const std::string first = order_of_a_run();
  EXPECT_EQ(first, "a.abc.cde.e.b.d");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order_of_a_run(), first);
}

TEST_F(InlineJobs, AreNamedInTheDescription) {
  EXPECT_THAT(scheduler.describe(), testing::HasSubstr("jobs start inline"));
  EXPECT_EQ(jobs::worker_count(), 1u);
}

// --- errors --------------------------------------------------------------------------------------

TEST(SchedulerModeOption, RefusesMoreThreadsThanTheCaller) {
  EXPECT_EQ(code_of([] { jobs::Scheduler({.worker_count = 2, .mode = SchedulerMode::kInline}); }),
            ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([] { jobs::Scheduler({.bound_threads = 2, .mode = SchedulerMode::kInline}); }),
            ErrorCode::kBadArgument);
  jobs::Scheduler({.worker_count = 1, .bind_caller = true, .mode = SchedulerMode::kInline});
}

TEST(SchedulerModeOption, RefusesOtherValues) {
  EXPECT_EQ(code_of([] { jobs::Scheduler({.mode = static_cast<SchedulerMode>(3)}); }),
            ErrorCode::kBadArgument);
}

TEST(SchedulerModeOption, IsNotForTheDefaultScheduler) {
  EXPECT_EQ(code_of([] { jobs::set_default_options({.mode = SchedulerMode::kInline}); }),
            ErrorCode::kBadArgument);
}

TEST(SchedulerModeOption, IsNotForAThreadThatIsBound) {
  const jobs::Scheduler scheduler({.mode = SchedulerMode::kInline});
  EXPECT_EQ(code_of([] { jobs::Scheduler({.mode = SchedulerMode::kInline}); }),
            ErrorCode::kBadArgument);
}

TEST(SchedulerModeOption, LetsOtherSchedulersRunTheirJobs) {
  const jobs::Scheduler inline_jobs({.mode = SchedulerMode::kInline});
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler other({.worker_count = workers});
    jobs::Counter done;
    std::atomic<int> ran = 0;
    for (int i = 0; i < 100; ++i) other.spawn(done, [&] { jobs::spawn([&] { ++ran; }); });
    done.wait();
    other.shutdown();
    EXPECT_EQ(ran, 100);
  }
}

}  // namespace
