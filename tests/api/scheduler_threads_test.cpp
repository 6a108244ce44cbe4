// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerMode::kThreads: jobs of spawn() and run() have threads of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/default_scheduler.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/barrier.hpp"
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

// A scheduler of the mode, which is the current one. The parameter is its number of workers.
struct JobsOnThreads : testing::TestWithParam<unsigned> {
  std::atomic<int> unhandled = 0;
  jobs::Scheduler scheduler{{.worker_count = GetParam(),
                             .mode = SchedulerMode::kThreads,
                             .on_unhandled = [this](std::exception_ptr) { ++unhandled; }}};
  jobs::SchedulerScope scope{scheduler};
};

INSTANTIATE_TEST_SUITE_P(Workers, JobsOnThreads, testing::Values(1u, 2u, 4u, 16u));

// All jobs wait for one another, so each one has a thread at the same time.
TEST_P(JobsOnThreads, HaveAThreadEach) {
  constexpr int kJobs = 30;
  jobs::Barrier all(kJobs);
  jobs::Counter done;
  std::mutex mutex;
  std::set<std::thread::id> threads{std::this_thread::get_id()};
  for (int i = 0; i < kJobs; ++i) {
    jobs::spawn(done, [&] {
      EXPECT_EQ(jobs::worker_index(), std::nullopt);
      {
        const std::scoped_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      all.arrive_and_wait();
    });
  }
  done.wait();
  EXPECT_EQ(threads.size(), kJobs + 1);
}

TEST_P(JobsOnThreads, BlockTheirThreadWhenTheyWait) {
  static thread_local int number = 0;
  jobs::Event event;
  jobs::Counter done;
  for (int i = 1; i <= 10; ++i) {
    jobs::spawn(done, [&, i] {
      number = i;
      event.wait();
      EXPECT_EQ(number, i);
    });
  }
  event.signal();
  done.wait();
}

TEST_P(JobsOnThreads, PassValuesThroughAChannel) {
  EXPECT_EQ(jobs::test::sum_through_channel(), 5050);
}

TEST_P(JobsOnThreads, ShareAMutex) {
  jobs::Mutex mutex;
  jobs::Counter done;
  int sum = 0;
  for (int i = 0; i < 200; ++i) {
    jobs::spawn(done, [&] {
      const std::scoped_lock lock(mutex);
      ++sum;
    });
  }
  done.wait();
  EXPECT_EQ(sum, 200);
}

// More jobs than the mode has threads for wait for one another.
TEST_P(JobsOnThreads, NeverWaitForAThread) {
  constexpr int kJobs = 300;
  jobs::Barrier all(kJobs);
  jobs::Counter done;
  for (int i = 0; i < kJobs; ++i) jobs::spawn(done, [&] { all.arrive_and_wait(); });
  done.wait();
}

TEST_P(JobsOnThreads, RunWithFewThreads) {
  jobs::Scheduler few(
      {.worker_count = GetParam(), .mode = SchedulerMode::kThreads, .max_blocking_threads = 2});
  constexpr int kJobs = 20;
  jobs::Barrier all(kJobs);
  jobs::Counter done;
  for (int i = 0; i < kJobs; ++i) few.spawn(done, [&] { all.arrive_and_wait(); });
  done.wait();
  EXPECT_LE(few.stats().blocking_threads, 2u);
}

TEST_P(JobsOnThreads, WaitForJobsThatTheySpawn) {
  std::atomic<int> leaves = 0;
  std::function<void(int)> divide = [&](int depth) {
    if (depth == 0) {
      ++leaves;
      return;
    }
    jobs::Counter done;
    for (int i = 0; i < 2; ++i) jobs::spawn(done, [&, depth] { divide(depth - 1); });
    done.wait();
  };
  divide(8);
  EXPECT_EQ(leaves, 256);
}

TEST_P(JobsOnThreads, AreHelpedWithTheirLoopsAndGraphs) {
  jobs::Counter done;
  std::atomic<long> sum = 0;
  for (int i = 0; i < 10; ++i) {
    jobs::spawn(done, [&] {
      jobs::parallel_for(0, 1000, [&](int k) { sum += k; });
      jobs::TaskGraph graph;
      graph.node([&] { ++sum; }).precede(graph.node([&] { ++sum; }));
      graph.run();
    });
  }
  done.wait();
  EXPECT_EQ(sum, 10 * (499'500 + 2));
}

TEST_P(JobsOnThreads, OfFibersAndOfNodesHaveThreadsToo) {
  std::atomic<int> ran = 0;
  const auto spawn_one = [&] {
    EXPECT_NE(jobs::worker_index(), std::nullopt) << "a Fiber runs on a worker";
    jobs::SpinLock lock;
    jobs::Counter done;
    {
      const std::scoped_lock guard(lock);
      jobs::spawn(done, [&] {
        EXPECT_EQ(jobs::worker_index(), std::nullopt);
        ++ran;
      });
    }
    done.wait();
  };
  jobs::Fiber fiber(spawn_one);
  jobs::Fiber other(spawn_one);
  fiber.join();
  other.join();
  EXPECT_EQ(ran, 2);
}

TEST_P(JobsOnThreads, StayOnAWorkerWithAPlaceOrAPriority) {
  jobs::Counter done;
  jobs::spawn(done, [] { EXPECT_EQ(jobs::worker_index(), 0u); }, {.on = jobs::worker(0)});
  jobs::spawn(done, [] { EXPECT_NE(jobs::worker_index(), std::nullopt); },
              {.priority = jobs::Priority::kLow});
  done.wait();
}

TEST_P(JobsOnThreads, GiveTheirResultsAndExceptions) {
  EXPECT_EQ(scheduler.run([] { return jobs::worker_index(); }), std::nullopt);
  EXPECT_THROW(scheduler.run([] { throw std::runtime_error("run"); }), std::runtime_error);
  jobs::Counter done;
  jobs::spawn(done, [] { throw std::runtime_error("spawn"); });
  EXPECT_THROW(done.wait(), std::runtime_error);
  jobs::spawn([] { throw std::runtime_error("detached"); });
  scheduler.shutdown();
  EXPECT_EQ(unhandled, 1);
}

// Each job spawns the next one, while the scheduler drains.
TEST_P(JobsOnThreads, RunToTheirEndBeforeAShutdown) {
  std::atomic<int> ran = 0;
  std::function<void(int)> next = [&](int left) {
    ++ran;
    if (left > 1) jobs::spawn([&, left] { next(left - 1); });
  };
  jobs::spawn([&] { next(100); });
  scheduler.shutdown();
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(code_of([] { jobs::spawn([] {}); }), ErrorCode::kStopped);
}

TEST_P(JobsOnThreads, ComeFromOtherThreadsAndSchedulers) {
  jobs::Scheduler other({.worker_count = 2});
  jobs::Counter done;
  std::atomic<int> ran = 0;
  std::jthread thread([&] {
    for (int i = 0; i < 50; ++i) scheduler.spawn(done, [&] { ++ran; });
  });
  jobs::Counter spawned;
  for (int i = 0; i < 50; ++i) other.spawn(spawned, [&] { scheduler.spawn(done, [&] { ++ran; }); });
  thread.join();
  spawned.wait();
  done.wait();
  EXPECT_EQ(ran, 100);
}

TEST_P(JobsOnThreads, AreNamedInTheDescription) {
  EXPECT_THAT(scheduler.describe(), testing::HasSubstr("jobs have threads of their own"));
}

TEST(SchedulerModeOption, OfTheDefaultSchedulerIsFibers) {
  EXPECT_EQ(code_of([] { jobs::set_default_options({.mode = SchedulerMode::kThreads}); }),
            ErrorCode::kBadArgument);
}

}  // namespace
