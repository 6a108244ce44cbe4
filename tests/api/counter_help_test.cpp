// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An external thread that waits for a Counter runs the jobs of this counter that no worker has
// taken, and no others.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/this_fiber.hpp"

namespace {

using namespace std::chrono_literals;

// The calling thread of each test is external; its calls go to a scheduler of that many workers.
class CounterHelp : public testing::TestWithParam<unsigned> {
 protected:
  // Lets each worker run a job that computes until release().
  void occupy() {
    std::atomic<unsigned> begun{0};
    for (unsigned i = 0; i < GetParam(); ++i) {
      scheduler_.spawn(occupied_, [&] {
        ++begun;
        while (!is_released_) std::this_thread::yield();
      });
    }
    while (begun != GetParam()) std::this_thread::yield();
  }
  void release() {
    is_released_ = true;
    occupied_.wait();
  }
  // Releases the workers after a time, so that a test without help fails instead of hanging.
  std::jthread release_after(std::chrono::milliseconds time) {
    return std::jthread([this, time](const std::stop_token& stop) {
      const auto end = std::chrono::steady_clock::now() + time;
      while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(1ms);
      is_released_ = true;
    });
  }
  bool is_released() const { return is_released_; }

  jobs::Scheduler scheduler_{{.worker_count = GetParam()}};
  jobs::SchedulerScope scope_{scheduler_};

 private:
  jobs::Counter occupied_;
  std::atomic<bool> is_released_{false};
};
INSTANTIATE_TEST_SUITE_P(Workers, CounterHelp, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

TEST_P(CounterHelp, AWaitEndsWhileAllWorkersAreBusy) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter counter;
  int here = 0;
  const std::thread::id caller = std::this_thread::get_id();
  for (int i = 0; i < 10; ++i)
    jobs::spawn(counter, [&] { here += std::this_thread::get_id() == caller; });
  counter.wait();
  EXPECT_FALSE(is_released()) << "the wait needed a worker";
  EXPECT_EQ(here, 10);
  release();
}

TEST_P(CounterHelp, RunsNoJobOfAnotherCounterOrWithoutCounter) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter own;
  jobs::Counter other;
  std::atomic<int> others{0};
  jobs::spawn([&] { ++others; });
  for (int i = 0; i < 10; ++i) {
    jobs::spawn(other, [&] { ++others; });
    jobs::spawn(own, [] {});
  }
  own.wait();
  EXPECT_FALSE(is_released());
  EXPECT_EQ(others, 0);
  release();
  other.wait();
  scheduler_.shutdown();
  EXPECT_EQ(others, 11);
}

// The caller visits a bounded number of queued jobs. The workers run the other ones.
TEST_P(CounterHelp, FindsItsJobsBehindManyOthers) {
  jobs::Counter own;
  jobs::Counter other;
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i) jobs::spawn(other, [&] { ++ran; });
    jobs::spawn(own, [&] { ++ran; });
    own.wait();
  }
  other.wait();
  EXPECT_EQ(ran, 20 * 201);
}

TEST_P(CounterHelp, AJobMaySpawnAndWaitItself) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter outer;
  int leaves = 0;
  for (int i = 0; i < 3; ++i) {
    jobs::spawn(outer, [&] {
      jobs::Counter inner;
      for (int j = 0; j < 3; ++j) jobs::spawn(inner, [&] { ++leaves; });
      inner.wait();
    });
  }
  outer.wait();
  EXPECT_FALSE(is_released());
  EXPECT_EQ(leaves, 9);
  release();
}

TEST_P(CounterHelp, RethrowsTheExceptionOfAJobThatItRan) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter counter;
  jobs::spawn(counter, [] { throw std::runtime_error("planned"); });
  EXPECT_THROW(counter.wait(), std::runtime_error);
  EXPECT_FALSE(is_released());
  release();
}

// The job could take longer than the limit.
TEST_P(CounterHelp, AWaitWithALimitRunsNoJob) {
  occupy();
  jobs::Counter counter;
  std::atomic<bool> ran{false};
  jobs::spawn(counter, [&] { ran = true; });
  EXPECT_FALSE(counter.wait_for(2ms));
  EXPECT_FALSE(ran);
  release();
  counter.wait();
  EXPECT_TRUE(ran);
}

// A job that waits keeps the caller, and the workers run the others.
TEST_P(CounterHelp, JobsMayWaitForEachOther) {
  for (int round = 0; round < 50; ++round) {
    jobs::Counter counter;
    std::vector<jobs::Event> events(8);
    for (std::size_t i = 0; i < events.size(); ++i) {
      jobs::spawn(counter, [&events, i] {
        if (i + 1 < events.size()) events[i + 1].wait();
        events[i].signal();
      });
    }
    counter.wait();
  }
}

TEST_P(CounterHelp, LeavesTheRoundingModeOfTheCallerAlone) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter counter;
  std::vector<int> modes;
  for (int i = 0; i < 2; ++i) {
    jobs::spawn(counter, [&] {
      modes.push_back(std::fegetround());
      std::fesetround(FE_DOWNWARD);
    });
  }
  std::fesetround(FE_UPWARD);
  counter.wait();
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_FALSE(is_released());
  EXPECT_EQ(after, FE_UPWARD);
  EXPECT_EQ(modes, (std::vector<int>{FE_TONEAREST, FE_TONEAREST}));
  release();
}

// The caller owns the mutex while it waits. The job is another owner, and does not get it.
TEST_P(CounterHelp, AJobIsAnotherOwnerOfLocksThanItsCaller) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Mutex mutex;
  jobs::Counter outer;
  bool got_that_of_the_caller = true;
  bool got_that_of_the_job = true;
  const std::scoped_lock lock(mutex);
  jobs::spawn(outer, [&] {
    got_that_of_the_caller = mutex.try_lock_for(1ms);
    jobs::Mutex second;
    const std::scoped_lock inner_lock(second);
    jobs::Counter inner;
    jobs::spawn(inner, [&] { got_that_of_the_job = second.try_lock_for(1ms); });
    inner.wait();
  });
  outer.wait();
  EXPECT_FALSE(is_released());
  EXPECT_FALSE(got_that_of_the_caller);
  EXPECT_FALSE(got_that_of_the_job);
  release();
}

// The job is on no fiber of the library, and messages say so.
TEST_P(CounterHelp, AJobHasNoFiberId) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter counter;
  jobs::FiberId id{1};
  jobs::spawn(counter, [&] { id = jobs::this_fiber::id(); });
  counter.wait();
  EXPECT_FALSE(is_released());
  EXPECT_EQ(id, jobs::FiberId{});
  release();
}

// The child process has a scheduler of its own; its test ends before the worker does.
TEST(CounterHelpDeathTest, NamesTheThreadOfAViolation) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        const jobs::SchedulerScope scope(scheduler);
        jobs::Counter occupied;
        jobs::Counter counter;
        std::atomic<bool> has_begun{false};
        std::atomic<bool> has_ended{false};
        jobs::spawn(occupied, [&] {
          has_begun = true;
          while (!has_ended) std::this_thread::yield();
        });
        while (!has_begun) std::this_thread::yield();
        jobs::spawn(counter, [] { jobs::Counter().done(); });
        counter.wait();
        has_ended = true;
      },
      "jobs: Counter 0x[0-9a-f]+: done\\(\\) without a job outstanding \\[a job in "
      "Counter::wait\\(\\) of an external thread\\]");
}

TEST_P(CounterHelp, AJobMayRunALoop) {
  occupy();
  const std::jthread rescue = release_after(5s);
  jobs::Counter counter;
  std::atomic<int> sum{0};
  jobs::spawn(counter, [&] { jobs::parallel_for(0, 100, [&](int i) { sum += i; }); });
  counter.wait();
  EXPECT_FALSE(is_released());
  EXPECT_EQ(sum, 4950);
  release();
}

TEST_P(CounterHelp, ManyThreadsWaitForTheirOwnCounters) {
  std::atomic<int> ran{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        const jobs::SchedulerScope scope(scheduler_);
        for (int round = 0; round < 200; ++round) {
          jobs::Counter counter;
          for (int i = 0; i < 4; ++i) jobs::spawn(counter, [&] { ++ran; });
          counter.wait();
        }
      });
    }
  }
  EXPECT_EQ(ran, 8 * 200 * 4);
}

TEST_P(CounterHelp, AShutdownWaitsForAJobThatTheCallerRuns) {
  occupy();
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_ended{false};
  std::jthread stopper([&] {
    while (!has_begun) std::this_thread::yield();
    release();
    scheduler_.shutdown();
    EXPECT_TRUE(has_ended);
  });
  jobs::Counter counter;
  jobs::spawn(counter, [&] {
    has_begun = true;
    std::this_thread::sleep_for(20ms);
    has_ended = true;
  });
  counter.wait();
}

TEST(CounterHelpLife, AWaitAfterAScopeStartsNoDefaultScheduler) {
  jobs::Counter counter;
  {
    jobs::Scheduler scheduler({.worker_count = 1});
    const jobs::SchedulerScope scope(scheduler);
    jobs::spawn(counter, [] {});
    counter.wait();
  }
  counter.add();
  std::jthread helper([&] {
    std::this_thread::sleep_for(2ms);
    counter.done();
  });
  counter.wait();
  EXPECT_NO_THROW(jobs::set_default_options({})) << "the default scheduler runs";
}

// The thread has submitted jobs before, so it looks for jobs of its counter.
TEST_P(CounterHelp, AWaitAfterTheShutdownNeedsNoScheduler) {
  jobs::Counter counter;
  jobs::spawn(counter, [] {});
  counter.wait();
  scheduler_.shutdown();
  counter.add();
  std::jthread helper([&] {
    std::this_thread::sleep_for(2ms);
    counter.done();
  });
  counter.wait();
}

}  // namespace
