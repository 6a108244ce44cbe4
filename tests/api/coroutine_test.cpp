// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Task, sync_wait(), start() and the waits of a task.
#include "jobs/coroutine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Counter;
using jobs::ErrorCode;
using jobs::Event;
using jobs::Task;
using jobs::test::code_of;
using std::chrono::steady_clock;

class TaskTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskTest);

Task<int> value_of(int value) { co_return value; }
Task<> nothing() { co_return; }
Task<int> failure(const char* text) {
  throw std::runtime_error(text);
  co_return 0;
}
Task<> until(Event& event) { co_await event; }

// --- results -------------------------------------------------------------------------------------

TEST_P(TaskTest, HasTheResultOfItsBody) {
  run([] {
    EXPECT_EQ(jobs::sync_wait(value_of(7)), 7);
    jobs::sync_wait(nothing());
    int variable = 0;
    const auto reference = [&]() -> Task<int&> { co_return variable; };
    EXPECT_EQ(&jobs::sync_wait(reference()), &variable);
    const auto movable = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    EXPECT_EQ(*jobs::sync_wait(movable()), 3);
  });
}

TEST_P(TaskTest, HasTheResultsOfTheTasksThatItAwaits) {
  run([] {
    const auto sum = []() -> Task<int> {
      Task<int> later = value_of(4);
      const int first = co_await value_of(3);
      co_return first + co_await std::move(later);
    };
    EXPECT_EQ(jobs::sync_wait(sum()), 7);
  });
}

TEST_P(TaskTest, PassesAnExceptionToTheTaskThatAwaitsIt) {
  run([] {
    const auto outer = [](bool catches) -> Task<std::string> {
      if (!catches) co_await failure("inner");
      std::string text;
      try {
        co_await failure("caught");
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      co_return text;
    };
    EXPECT_EQ(jobs::sync_wait(outer(true)), "caught");
    EXPECT_THROW(jobs::sync_wait(outer(false)), std::runtime_error);
  });
}

// --- life ----------------------------------------------------------------------------------------

TEST_P(TaskTest, IsDestroyedWithItsArgumentsIfItNeverBegins) {
  run([] {
    const auto shared = std::make_shared<int>(1);
    bool began = false;
    const auto body = [&began](std::shared_ptr<int>) -> Task<> {
      began = true;
      co_return;
    };
    {
      const Task<> task = body(shared);
      EXPECT_EQ(shared.use_count(), 2);
    }
    EXPECT_EQ(shared.use_count(), 1);
    EXPECT_FALSE(began);
  });
}

TEST_P(TaskTest, RefusesAnEmptyObject) {
  run([] {
    EXPECT_EQ(code_of([] { jobs::sync_wait(Task<int>()); }), ErrorCode::kBadArgument);
    EXPECT_EQ(code_of([] { jobs::start(Task<>()); }), ErrorCode::kBadArgument);
    Counter counter;
    EXPECT_EQ(code_of([&] { jobs::start(counter, Task<>()); }), ErrorCode::kBadArgument);
    const auto twice = []() -> Task<> {
      Task<int> task = value_of(1);
      co_await std::move(task);
      co_await std::move(task);  // NOLINT(bugprone-use-after-move): the subject of the test
    };
    EXPECT_EQ(code_of([&] { jobs::sync_wait(twice()); }), ErrorCode::kBadArgument);
  });
}

TEST_P(TaskTest, ReportsItsEndToACounter) {
  run([] {
    Counter counter;
    Event event;
    const auto argument = std::make_shared<std::atomic<int>>(1);
    const auto body = [&event](std::shared_ptr<std::atomic<int>> copy) -> Task<> {
      co_await event;
      ++*copy;
    };
    for (int i = 0; i < 100; ++i) jobs::start(counter, body(argument));
    EXPECT_FALSE(counter.wait_for(0s));
    event.signal();
    counter.wait();
    EXPECT_EQ(argument.use_count(), 1);
  });
}

TEST_P(TaskTest, PassesAnExceptionToItsCounter) {
  run([] {
    Counter counter;
    const auto body = []() -> Task<> { co_await failure("lost"); };
    jobs::start(counter, body());
    EXPECT_THROW(counter.wait(), std::runtime_error);
  });
}

// --- primitives ----------------------------------------------------------------------------------

TEST_P(TaskTest, WaitsForAnEvent) {
  run([] {
    Event event;
    Counter counter;
    int data = 0;
    std::atomic<int> seen = 0;
    const auto body = [&]() -> Task<> {
      co_await event;
      seen += data;
    };
    for (int i = 0; i < 50; ++i) jobs::start(counter, body());
    jobs::spawn(counter, [&] {
      data = 1;
      event.signal();
    });
    for (int i = 0; i < 50; ++i) jobs::start(counter, body());
    counter.wait();
    EXPECT_EQ(seen, 100);
    jobs::sync_wait(until(event));
  });
}

TEST_P(TaskTest, PassesAnAutomaticEventOneAtATime) {
  run([] {
    Event event(Event::Reset::kAutomatic);
    Counter counter;
    int inside = 0, turns = 0;
    const auto body = [&]() -> Task<> {
      co_await event;
      EXPECT_EQ(++inside, 1);
      ++turns;
      --inside;
      event.signal();
    };
    for (int i = 0; i < 100; ++i) jobs::start(counter, body());
    event.signal();
    counter.wait();
    EXPECT_EQ(turns, 100);
  });
}

TEST_P(TaskTest, WaitsForACounterAndHasItsException) {
  run([] {
    const auto body = []() -> Task<int> {
      Counter counter;
      std::atomic<int> sum = 0;
      for (int i = 0; i < 100; ++i) jobs::spawn(counter, [&] { ++sum; });
      co_await counter;
      jobs::spawn(counter, [] { throw std::runtime_error("job"); });
      try {
        co_await counter;
      } catch (const std::runtime_error&) {
        sum += 1000;
      }
      co_return sum.load();
    };
    EXPECT_EQ(jobs::sync_wait(body()), 1100);
  });
}

TEST_P(TaskTest, TakesPermitsOfASemaphore) {
  run([] {
    jobs::Semaphore permit(1);
    Counter counter;
    int count = 0;
    const auto body = [&]() -> Task<> {
      for (int i = 0; i < 20; ++i) {
        co_await permit;
        ++count;
        permit.release();
      }
    };
    for (int i = 0; i < 50; ++i) jobs::start(counter, body());
    counter.wait();
    EXPECT_EQ(count, 1000);
  });
}

TEST_P(TaskTest, LocksAMutexOverItsWaits) {
  run([] {
    jobs::Mutex mutex;
    Counter counter;
    int inside = 0, count = 0;
    const auto body = [&]() -> Task<> {
      for (int i = 0; i < 20; ++i) {
        jobs::TaskLock lock = co_await mutex;
        EXPECT_EQ(++inside, 1);
        if (i % 4 == 0) co_await jobs::this_task::yield();
        --inside;
        ++count;
        if (i % 2 == 0) lock.unlock();
        EXPECT_EQ(lock.owns_lock(), i % 2 != 0);
      }
    };
    for (int i = 0; i < 25; ++i) jobs::start(counter, body());
    for (int i = 0; i < 25; ++i) {
      jobs::spawn(counter, [&] {
        for (int turn = 0; turn < 20; ++turn) {
          mutex.lock();
          EXPECT_EQ(++inside, 1);
          --inside;
          ++count;
          mutex.unlock();
        }
      });
    }
    counter.wait();
    EXPECT_EQ(count, 1000);
  });
}

TEST_P(TaskTest, JoinsAFiber) {
  run([] {
    const auto body = []() -> Task<int> {
      Event event;
      jobs::Fiber<int> fiber([&event] {
        event.wait();
        return 4;
      });
      jobs::Fiber<> fails([] { throw std::runtime_error("fiber"); });
      event.signal();
      int sum = co_await fiber;
      EXPECT_FALSE(fiber.joinable());
      try {
        co_await fails;
      } catch (const std::runtime_error&) {
        sum += 10;
      }
      co_return sum;
    };
    EXPECT_EQ(jobs::sync_wait(body()), 14);
  });
}

TEST_P(TaskTest, LetsOtherJobsRun) {
  run([] {
    Counter counter;
    std::atomic<int> turns = 0;
    const auto body = [&]() -> Task<> {
      for (int i = 0; i < 50; ++i) {
        co_await jobs::this_task::yield();
        ++turns;
      }
    };
    for (int i = 0; i < 20; ++i) jobs::start(counter, body());
    counter.wait();
    EXPECT_EQ(turns, 1000);
  });
}

TEST_P(TaskTest, PopsAndPushesItems) {
  run([] {
    jobs::Channel<std::unique_ptr<int>> channel(2);
    Counter counter;
    int sum = 0;
    const auto produce = [&]() -> Task<> {
      for (int i = 1; i <= 100; ++i)
        EXPECT_TRUE(co_await jobs::this_task::push(channel, std::make_unique<int>(i)));
      channel.close();
      EXPECT_FALSE(co_await jobs::this_task::push(channel, nullptr));
    };
    const auto consume = [&]() -> Task<> {
      while (const auto item = co_await jobs::this_task::pop(channel)) sum += **item;
    };
    jobs::start(counter, consume());
    jobs::start(counter, produce());
    counter.wait();
    EXPECT_EQ(sum, 5050);
  });
}

TEST_P(TaskTest, ExchangesItemsByChannels) {
  run([] {
    jobs::Channel<int> numbers(4);
    Counter counter;
    std::int64_t sum = 0;
    const auto produce = [&]() -> Task<> {
      for (int i = 1; i <= 1000; ++i) {
        std::optional<int> item = i;
        co_await numbers.on_push(item);
        EXPECT_FALSE(item);
      }
      numbers.close();
    };
    const auto consume = [&]() -> Task<> {
      for (;;) {
        std::optional<int> item;
        co_await numbers.on_pop(item);
        if (!item) co_return;
        sum += *item;
      }
    };
    jobs::start(counter, consume());
    jobs::start(counter, produce());
    counter.wait();
    EXPECT_EQ(sum, 500'500);
  });
}

TEST_P(TaskTest, WaitsTogetherWithFibersAndThreads) {
  run([] {
    Event event;
    std::atomic<int> passed = 0;
    Counter counter;
    const auto body = [&]() -> Task<> {
      co_await event;
      ++passed;
    };
    jobs::start(counter, body());
    jobs::Fiber fiber([&] {
      event.wait();
      ++passed;
    });
    std::thread thread([&] {
      event.wait();
      ++passed;
    });
    std::thread signaller([&] { event.signal(); });
    counter.wait();
    fiber.join();
    thread.join();
    signaller.join();
    EXPECT_EQ(passed, 3);
  });
}

// --- time, stop and selections ------------------------------------------------------------------

TEST_P(TaskTest, SleepsAtLeastItsTime) {
  run([] {
    const auto body = []() -> Task<bool> {
      const auto start = steady_clock::now();
      const bool slept = co_await jobs::this_task::sleep_for(2ms);
      EXPECT_GE(steady_clock::now() - start, 2ms);
      EXPECT_TRUE(co_await jobs::this_task::sleep_until(steady_clock::now() - 1s));
      co_return slept;
    };
    EXPECT_TRUE(jobs::sync_wait(body()));
  });
}

TEST_P(TaskTest, SleepsUntilAStop) {
  run([] {
    std::stop_source stop;
    Counter counter;
    const auto body = [&]() -> Task<> {
      EXPECT_FALSE(co_await jobs::this_task::sleep_for(1h, stop.get_token()));
      EXPECT_FALSE(co_await jobs::this_task::sleep_for(1h, stop.get_token()));
    };
    jobs::start(counter, body());
    std::thread thread([&] {
      std::this_thread::sleep_for(1ms);
      stop.request_stop();
    });
    counter.wait();
    thread.join();
  });
}

TEST_P(TaskTest, SelectsTheFirstOfSeveralAlternatives) {
  run([] {
    Event first, second;
    Counter counter;
    const auto body = [&]() -> Task<> {
      EXPECT_EQ(co_await jobs::this_task::select(first.on_signal(), second.on_signal()), 1u);
      first.signal();
      EXPECT_EQ(co_await jobs::this_task::select(first.on_signal(), second.on_signal()), 0u);
    };
    jobs::start(counter, body());
    jobs::spawn(counter, [&] { second.signal(); });
    counter.wait();
  });
}

TEST_P(TaskTest, LimitsASelection) {
  run([] {
    Event event;
    std::stop_source stop;
    const auto body = [&]() -> Task<> {
      EXPECT_FALSE(co_await jobs::this_task::select_for(0s, event.on_signal()));
      EXPECT_FALSE(co_await jobs::this_task::select_for(1ms, event.on_signal()));
      EXPECT_FALSE(
          co_await jobs::this_task::select_until(steady_clock::now() + 1ms, event.on_signal()));
      stop.request_stop();
      EXPECT_FALSE(co_await jobs::this_task::select(stop.get_token(), event.on_signal()));
      event.signal();
      EXPECT_EQ(co_await jobs::this_task::select(stop.get_token(), event.on_signal()), 0u);
      EXPECT_EQ(co_await jobs::this_task::select_for(0s, event.on_signal()), 0u);
      EXPECT_EQ(co_await jobs::this_task::select_for(1h, event.on_signal()), 0u);
    };
    jobs::sync_wait(body());
  });
}

// Deadlines race with signals: each wait has one result, and no later wait sees an old deadline.
TEST_P(TaskTest, RacesDeadlinesWithSignals) {
  run([] {
    const int rounds = jobs::test::scaled(200);
    Event event(Event::Reset::kAutomatic);
    std::atomic<int> signals = 0;
    Counter counter;
    std::atomic<int> passed = 0;
    const auto body = [&](int micros) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        if (co_await jobs::this_task::select_for(std::chrono::microseconds(micros),
                                                 event.on_signal()))
          ++passed;
      }
    };
    for (int i = 0; i < 8; ++i) jobs::start(counter, body(i * 20));
    std::atomic<bool> ended = false;
    std::thread thread([&] {
      while (!ended) {
        ++signals;
        event.signal();
        std::this_thread::sleep_for(10us);
      }
    });
    counter.wait();
    ended = true;
    thread.join();
    EXPECT_LE(passed, signals);
  });
}

// --- chains and shutdown -------------------------------------------------------------------------

TEST_P(TaskTest, AwaitsAMillionTasksInARowOnOneStack) {
  run([] {
    const auto body = []() -> Task<int> {
      int sum = 0;
      for (int i = 0; i < 1'000'000; ++i) sum += co_await value_of(1);
      co_return sum;
    };
    EXPECT_EQ(jobs::sync_wait(body()), 1'000'000);
  });
}

Task<int> depth(int levels) {
  if (levels == 0) co_return 0;
  co_return co_await depth(levels - 1) + 1;
}

TEST_P(TaskTest, AwaitsADeepChainOnOneStack) {
  run([] { EXPECT_EQ(jobs::sync_wait(depth(100'000)), 100'000); });
}

TEST_P(TaskTest, MayWaitForATaskWithoutCoAwait) {
  run([] {
    const auto body = []() -> Task<int> { co_return jobs::sync_wait(value_of(5)); };
    EXPECT_EQ(jobs::sync_wait(body()), 5);
  });
}

TEST(TaskShutdown, WaitsForTasksThatWait) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    Event event;
    std::atomic<bool> ended = false;
    const auto body = [&]() -> Task<> {
      co_await event;
      co_await jobs::this_task::sleep_for(1ms);
      ended = true;
    };
    std::thread thread;
    {
      jobs::Scheduler scheduler({.worker_count = workers});
      scheduler.run([&] { jobs::start(body()); });
      thread = std::thread([&] {
        std::this_thread::sleep_for(2ms);
        event.signal();
      });
    }
    EXPECT_TRUE(ended);
    thread.join();
  }
}

TEST(TaskShutdown, RefusesATaskAfterwards) {
  jobs::Scheduler scheduler({.worker_count = 1});
  const jobs::SchedulerScope scope(scheduler);
  scheduler.shutdown();
  const auto argument = std::make_shared<int>(1);
  const auto body = [](std::shared_ptr<int>) -> Task<> { co_return; };
  Counter counter;
  EXPECT_EQ(code_of([&] { jobs::start(counter, body(argument)); }), ErrorCode::kStopped);
  EXPECT_EQ(code_of([&] { jobs::sync_wait(body(argument)); }), ErrorCode::kStopped);
  EXPECT_TRUE(counter.wait_for(0s));
  EXPECT_EQ(argument.use_count(), 1);
}

}  // namespace
