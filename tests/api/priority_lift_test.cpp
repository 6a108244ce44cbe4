// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A wait for a Counter lifts the lower jobs of the counter: which jobs, to which priority, and for
// how long.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "jobs/coroutine.hpp"
#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/before_due.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Counter;
using jobs::Priority;
using jobs::test::before_due;
using jobs::test::kBackgroundDue;
using Clock = std::chrono::steady_clock;

// Normal jobs that occupy all workers until end(), or for at most 2 s.
class Flood {
 public:
  explicit Flood(unsigned workers) : end_(Clock::now() + 2s) {
    for (unsigned i = 0; i < 4 * workers; ++i) spawn_next();
  }
  // Returns true if the jobs still ran.
  bool end() {
    const bool in_time = Clock::now() < end_;
    enough_ = true;
    done_.wait();
    return in_time;
  }

 private:
  void spawn_next() {
    jobs::spawn(done_, [this] {
      if (!enough_ && Clock::now() < end_) spawn_next();
    });
  }

  const Clock::time_point end_;
  std::atomic<bool> enough_{false};
  Counter done_;
};

// The number of jobs for which the workers have no turns within 2 s beside normal jobs.
unsigned too_many(Priority priority, unsigned workers) {
  return (priority == Priority::kLow ? 300 : 30) * workers;
}

class PriorityLifts : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(PriorityLifts);

TEST_P(PriorityLifts, LetAWaitEndBesideNormalJobs) {
  const std::vector<std::function<void(Counter&)>> waits = {
      [](Counter& counter) { counter.wait(); },
      [](Counter& counter) { EXPECT_TRUE(counter.wait_for(1h)); },
      [](Counter& counter) { EXPECT_TRUE(counter.wait(std::stop_token())); }};
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
      for (const auto& wait : waits) {
        Flood flood(workers);
        Counter counter;
        std::atomic<unsigned> ran{0};
        const unsigned count = too_many(priority, workers);
        for (unsigned i = 0; i < count; ++i) {
          jobs::spawn(
              counter, [&] { ++ran; },
              {.on = i % 2 == 0 ? jobs::anywhere : jobs::not_main_thread, .priority = priority});
        }
        wait(counter);
        EXPECT_TRUE(flood.end());
        EXPECT_EQ(ran, count);
      }
    }
  });
}

// Each job spawns the next one while the wait lasts.
TEST_P(PriorityLifts, HoldForJobsThatAreSpawnedDuringTheWait) {
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
      Flood flood(workers);
      Counter counter;
      unsigned left = too_many(priority, workers);
      std::function<void()> step = [&] {
        if (--left != 0) jobs::spawn(counter, step, {.priority = priority});
      };
      jobs::spawn(counter, step, {.priority = priority});
      counter.wait();
      EXPECT_TRUE(flood.end());
      EXPECT_EQ(left, 0u);
    }
  });
}

TEST_P(PriorityLifts, ConcernTheJobsOfTheCounterOnly) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    std::string order;
    Counter others;
    Counter counter;
    for (const char c : std::string("xyz")) {
      jobs::spawn(others, [&order, c] { order += c; }, {.priority = Priority::kBackground});
      jobs::spawn(counter, [&order] { order += 'b'; }, {.priority = Priority::kBackground});
    }
    counter.wait();
    EXPECT_EQ(order, "bbb");
    jobs::spawn(others, [&order] { order += 'v'; }, {.priority = Priority::kBackground});
    others.wait();
    EXPECT_EQ(order, "bbbxyzv");
  });
}

// A wait with a deadline that has passed is a poll.
TEST_P(PriorityLifts, AreNotMadeByAPoll) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    const auto order_after_a_poll = [] {
      std::string order;
      Counter counter;
      Counter normal;
      jobs::spawn(counter, [&order] { order += 'b'; }, {.priority = Priority::kBackground});
      EXPECT_FALSE(counter.wait_for(0s));
      for (int i = 0; i < 100; ++i) jobs::spawn(normal, [&order] { order += 'n'; });
      normal.wait();
      const std::string before = order;
      counter.wait();
      return before;
    };
    EXPECT_EQ(before_due(kBackgroundDue, order_after_a_poll), std::string(100, 'n'));
  });
}

// A select() that has to wait lifts the jobs of its counters, also if another alternative ends it.
TEST_P(PriorityLifts, AreMadeByASelection) {
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
      Flood flood(workers);
      Counter counter;
      jobs::Event never;
      std::atomic<unsigned> ran{0};
      const unsigned count = too_many(priority, workers);
      for (unsigned i = 0; i < count; ++i)
        jobs::spawn(counter, [&] { ++ran; }, {.priority = priority});
      EXPECT_EQ(jobs::select(never.on_signal(), counter.on_zero()), 1u);
      EXPECT_TRUE(flood.end());
      EXPECT_EQ(ran, count);
    }
  });
}

TEST_P(PriorityLifts, AreMadeByATask) {
  run([&] {
    const unsigned workers = jobs::worker_count();
    Flood flood(workers);
    Counter counter;
    std::atomic<unsigned> ran{0};
    const unsigned count = too_many(Priority::kBackground, workers);
    for (unsigned i = 0; i < count; ++i)
      jobs::spawn(counter, [&] { ++ran; }, {.priority = Priority::kBackground});
    const auto wait = [&]() -> jobs::Task<> { co_await counter; };
    jobs::sync_wait(wait());
    EXPECT_TRUE(flood.end());
    EXPECT_EQ(ran, count);
  });
}

// A selection that is a poll, or that another alternative completes at once.
TEST_P(PriorityLifts, AreNotMadeByASelectionThatDoesNotWait) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    const auto order_after_a_selection = [] {
      std::string order;
      Counter counter;
      Counter normal;
      jobs::Event open;
      open.signal();
      jobs::spawn(counter, [&order] { order += 'b'; }, {.priority = Priority::kBackground});
      EXPECT_EQ(jobs::try_select(counter.on_zero()), std::nullopt);
      EXPECT_EQ(jobs::select(counter.on_zero(), open.on_signal()), 1u);
      for (int i = 0; i < 100; ++i) jobs::spawn(normal, [&order] { order += 'n'; });
      normal.wait();
      const std::string before = order;
      counter.wait();
      return before;
    };
    EXPECT_EQ(before_due(kBackgroundDue, order_after_a_selection), std::string(100, 'n'));
  });
}

TEST_P(PriorityLifts, EndWithTheWait) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    const auto order_after_waits = [] {
      std::string before;
      Counter counter;
      Counter normal;
      for (int cycle = 0; cycle < 2; ++cycle) {
        std::string order;
        jobs::spawn(counter, [] {}, {.priority = Priority::kBackground});
        counter.wait();
        jobs::spawn(counter, [&order] { order += 'b'; }, {.priority = Priority::kBackground});
        for (int i = 0; i < 100; ++i) jobs::spawn(normal, [&order] { order += 'n'; });
        normal.wait();
        before += order;
        counter.wait();
      }
      return before;
    };
    EXPECT_EQ(before_due(kBackgroundDue, order_after_waits), std::string(200, 'n'));
  });
}

TEST_P(PriorityLifts, DoNotExceedThePriorityOfTheWaiter) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    std::string order;
    Counter others;
    const auto spawn = [&order](Counter& counter, char c, Priority priority) {
      jobs::spawn(counter, [&order, c] { order += c; }, {.priority = priority});
    };
    int waiters = 0;
    const auto body = [&] {
      ++waiters;
      const auto order_of_wait = [&] {
        order.clear();
        Counter counter;
        spawn(others, 'x', Priority::kBackground);
        spawn(counter, 'b', Priority::kBackground);
        spawn(others, 'l', Priority::kLow);
        for (int i = 0; i < 100; ++i) spawn(others, 'n', Priority::kNormal);
        counter.wait();
        std::string seen = order;
        std::erase(seen, 'n');
        others.wait();
        return seen;
      };
      EXPECT_EQ(before_due(kBackgroundDue, order_of_wait), "lb");
    };
    for (const std::size_t stack_size : {std::size_t{0}, std::size_t{64} << 10})
      jobs::Fiber<>(body, {.stack_size = stack_size, .priority = Priority::kLow}).join();
    jobs::Event ended;
    jobs::spawn(
        [&] {
          body();
          ended.signal();
        },
        {.priority = Priority::kLow});
    ended.wait();
    EXPECT_EQ(waiters, 3);
  });
}

// A normal job that begins on the fiber of an ended low job is no low one.
TEST_P(PriorityLifts, AreMadeByNormalJobsAfterLowOnes) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    for (int i = 0; i < 4; ++i) {
      jobs::Event ended;
      jobs::spawn([&] { ended.signal(); }, {.priority = Priority::kBackground});
      ended.wait();
      jobs::Fiber<>([] { jobs::yield(); }, {.priority = Priority::kBackground}).join();
      std::string order;
      Counter others;
      Counter done;
      jobs::spawn(done, [&] {
        Counter counter;
        jobs::spawn(others, [&order] { order += 'x'; }, {.priority = Priority::kBackground});
        jobs::spawn(counter, [&order] { order += 'b'; }, {.priority = Priority::kBackground});
        counter.wait();
        EXPECT_EQ(order, "b");
      });
      done.wait();
      others.wait();
    }
  });
}

TEST_P(PriorityLifts, KeepTheExceptions) {
  run([] {
    Counter counter;
    for (int cycle = 0; cycle < 3; ++cycle) {
      for (int i = 0; i < 3; ++i) {
        jobs::spawn(counter, [] { throw std::runtime_error("lower"); },
                    {.priority = Priority::kLow});
      }
      EXPECT_THROW(counter.wait(), std::runtime_error);
      EXPECT_EQ(counter.dropped_exceptions(), 2u);
      counter.wait();
    }
  });
}

// An external thread waits for jobs of a scheduler that is not the default one.
TEST(PriorityLiftFromOutside, ReachesEachScheduler) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler other({.worker_count = 1});
    jobs::Scheduler scheduler({.worker_count = workers});
    std::unique_ptr<Flood> flood;
    scheduler.run([&] { flood = std::make_unique<Flood>(workers); });
    Counter counter;
    for (unsigned i = 0; i < too_many(Priority::kBackground, workers); ++i)
      scheduler.spawn(counter, [] {}, {.priority = Priority::kBackground});
    counter.wait();
    EXPECT_TRUE(flood->end());
  }
}

// The bound thread may not run not-main jobs: the other worker lifts them.
TEST(PriorityLiftOfABoundThread, ReachesNotMainJobs) {
  for (const unsigned workers : {2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
    Flood flood(workers);
    Counter counter;
    std::atomic<unsigned> on_main{0};
    for (unsigned i = 0; i < too_many(Priority::kBackground, workers); ++i) {
      jobs::spawn(counter, [&] { on_main += jobs::worker_index() == 0u ? 1 : 0; },
                  {.on = jobs::not_main_thread, .priority = Priority::kBackground});
    }
    counter.wait();
    EXPECT_TRUE(flood.end());
    EXPECT_EQ(on_main, 0u);
  }
}

// More than SharedJobs::kMostVisited jobs of another counter precede the awaited one.
TEST_P(PriorityLifts, ReachAJobBehindManyOthers) {
  run([] {
    const unsigned workers = jobs::worker_count();
    Flood flood(workers);
    Counter others;
    Counter counter;
    const unsigned count = too_many(Priority::kBackground, workers) + 200;
    for (unsigned i = 0; i < count; ++i) {
      jobs::spawn(others, [] {}, {.priority = Priority::kBackground});
    }
    jobs::spawn(counter, [] {}, {.priority = Priority::kBackground});
    counter.wait();
    EXPECT_TRUE(flood.end());
    others.wait();
  });
}

// Threads and jobs push lower jobs of several counters and wait for them at the same time.
TEST_P(PriorityLifts, LoseNoJob) {
  run([] {
    std::atomic<int> ran{0};
    Counter all;
    constexpr int kWaiters = 8;
    constexpr int kRounds = 50;
    for (int w = 0; w < kWaiters; ++w) {
      jobs::spawn(all, [&, w] {
        for (int round = 0; round < kRounds; ++round) {
          Counter counter;
          for (int i = 0; i < 4; ++i) {
            jobs::spawn(counter, [&] { ++ran; },
                        {.on = (i + w) % 3 == 0 ? jobs::not_main_thread : jobs::anywhere,
                         .priority = i % 2 == 0 ? Priority::kLow : Priority::kBackground});
          }
          if (round % 2 == 0) static_cast<void>(counter.wait_for(10us));
          counter.wait();
        }
      });
    }
    all.wait();
    EXPECT_EQ(ran, kWaiters * kRounds * 4);
  });
}

}  // namespace
