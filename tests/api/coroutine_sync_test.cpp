// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The waits of a task for a Latch, a Barrier, a SharedMutex and a ConditionVariable, together with
// fibers and threads; the alternatives of select() that belong to them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/coroutine.hpp"
#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/select.hpp"
#include "tests/support/is_free.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Barrier;
using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Latch;
using jobs::Mutex;
using jobs::SharedMutex;
using jobs::Task;
using jobs::TaskLock;
using jobs::TaskReaderLock;
using jobs::TaskWriterLock;
using jobs::test::is_free;

class TaskSync : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskSync);

// --- Latch ---------------------------------------------------------------------------------------

TEST_P(TaskSync, WaitsForALatch) {
  run([] {
    Latch latch(10);
    Counter counter;
    int data = 0;
    std::atomic<int> seen = 0;
    const auto body = [&]() -> Task<> {
      co_await latch;
      seen += data;
    };
    for (int i = 0; i < 50; ++i) jobs::start(counter, body());
    latch.count_down(9);
    EXPECT_FALSE(counter.wait_for(0s));
    data = 1;
    latch.count_down();
    for (int i = 0; i < 50; ++i) jobs::start(counter, body());
    counter.wait();
    EXPECT_EQ(seen, 100);
  });
}

TEST_P(TaskSync, MayDestroyALatchAfterItsWait) {
  run([] {
    const int rounds = jobs::test::scaled(500);
    for (int i = 0; i < rounds; ++i) {
      Counter counter;
      auto latch = std::make_unique<Latch>(1);
      Latch& opened = *latch;
      const auto body = [&]() -> Task<> {
        co_await *latch;
        latch.reset();
      };
      jobs::start(counter, body());
      jobs::spawn(counter, [&] { opened.count_down(); });
      counter.wait();
    }
  });
}

TEST_P(TaskSync, SelectsALatch) {
  run([] {
    Latch open(0), closed(1);
    const auto body = [&]() -> Task<> {
      EXPECT_FALSE(co_await jobs::this_task::select_for(1ms, closed.on_zero()));
      EXPECT_EQ(co_await jobs::this_task::select(closed.on_zero(), open.on_zero()), 1u);
    };
    jobs::sync_wait(body());
    EXPECT_EQ(jobs::select(closed.on_zero(), open.on_zero()), 1u);
    EXPECT_FALSE(jobs::select_for(1ms, closed.on_zero()));
    jobs::Fiber fiber([&] { EXPECT_EQ(jobs::select(closed.on_zero()), 0u); });
    closed.count_down();
    fiber.join();
  });
}

// --- Barrier -------------------------------------------------------------------------------------

TEST_P(TaskSync, MeetsOthersAtABarrierPhaseByPhase) {
  run([] {
    constexpr int kTasks = 6, kFibers = 2, kPhases = 50;
    int completed = 0;
    auto complete = [&]() noexcept { ++completed; };
    Barrier<decltype(complete)> barrier(kTasks + kFibers, complete);
    std::atomic<int> arrived = 0;
    Counter counter;
    const auto body = [&]() -> Task<> {
      for (int phase = 0; phase < kPhases; ++phase) {
        ++arrived;
        co_await barrier;
        EXPECT_GE(arrived, (phase + 1) * (kTasks + kFibers));
        EXPECT_GT(completed, phase);
        co_await barrier;
      }
    };
    for (int i = 0; i < kTasks; ++i) jobs::start(counter, body());
    std::vector<jobs::Fiber<>> fibers;
    for (int i = 0; i < kFibers; ++i) {
      fibers.emplace_back([&] {
        for (int phase = 0; phase < kPhases; ++phase) {
          ++arrived;
          barrier.arrive_and_wait();
          barrier.arrive_and_wait();
        }
      });
    }
    for (auto& fiber : fibers) fiber.join();
    counter.wait();
    EXPECT_EQ(arrived, kPhases * (kTasks + kFibers));
    EXPECT_EQ(completed, 2 * kPhases);
  });
}

TEST_P(TaskSync, MayDestroyABarrierAfterItsWait) {
  run([] {
    const int rounds = jobs::test::scaled(500);
    for (int i = 0; i < rounds; ++i) {
      Counter counter;
      std::optional<Barrier<>> barrier(std::in_place, 2);
      std::atomic<int> left = 2;
      const auto body = [&]() -> Task<> {
        co_await *barrier;
        if (--left == 0) barrier.reset();
      };
      jobs::start(counter, body());
      jobs::start(counter, body());
      counter.wait();
      EXPECT_FALSE(barrier);
    }
  });
}

TEST_P(TaskSync, LimitsAWaitForABarrier) {
  run([] {
    Barrier<> barrier(2);
    std::stop_source stop;
    const auto body = [&]() -> Task<> {
      const auto token = barrier.arrive();
      EXPECT_FALSE(co_await jobs::this_task::select_for(0s, barrier.on_phase_end(token)));
      EXPECT_FALSE(co_await jobs::this_task::select_for(1ms, barrier.on_phase_end(token)));
      stop.request_stop();
      EXPECT_FALSE(co_await jobs::this_task::select(stop.get_token(), barrier.on_phase_end(token)));
      static_cast<void>(barrier.arrive());  // the first arrival counts nevertheless
      EXPECT_TRUE(co_await jobs::this_task::select_for(0s, barrier.on_phase_end(token)));
      EXPECT_TRUE(co_await jobs::this_task::select_for(1h, barrier.on_phase_end(token)));
      co_await barrier.on_phase_end(token);
    };
    jobs::sync_wait(body());
    const auto token = barrier.arrive();
    EXPECT_FALSE(jobs::select_for(1ms, barrier.on_phase_end(token)));
    Counter counter;
    jobs::spawn(counter, [&] { barrier.arrive_and_wait(); });
    EXPECT_EQ(jobs::select(barrier.on_phase_end(token)), 0u);
    counter.wait();
  });
}

// Deadlines race with the ends of phases: each wait ends, and each phase has all arrivals.
TEST_P(TaskSync, RacesDeadlinesWithPhases) {
  run([] {
    constexpr int kTasks = 8;
    const int rounds = jobs::test::scaled(100);
    Barrier<> barrier(kTasks);
    std::atomic<int> arrived = 0;
    Counter counter;
    const auto body = [&](int micros) -> Task<> {
      for (int round = 1; round <= rounds; ++round) {
        ++arrived;
        const auto token = barrier.arrive();
        const std::chrono::microseconds patience(micros);
        while (!co_await jobs::this_task::select_for(patience, barrier.on_phase_end(token)))
          co_await jobs::this_task::yield();
        EXPECT_GE(arrived, round * kTasks);
      }
    };
    for (int i = 0; i < kTasks; ++i) jobs::start(counter, body(i * 20));
    counter.wait();
    EXPECT_EQ(arrived, rounds * kTasks);
  });
}

// --- SharedMutex ---------------------------------------------------------------------------------

TEST_P(TaskSync, SharesAMutexAmongReadersAndNotWithWriters) {
  run([] {
    SharedMutex mutex;
    Counter counter;
    std::atomic<int> readers = 0, writers = 0;
    int written = 0;
    const auto write = [&]() -> Task<> {
      for (int i = 0; i < 20; ++i) {
        TaskWriterLock lock = co_await mutex;
        EXPECT_EQ(++writers, 1);
        EXPECT_EQ(readers, 0);
        ++written;
        if (i % 4 == 0) co_await jobs::this_task::yield();
        --writers;
        if (i % 2 == 0) lock.unlock();
        EXPECT_EQ(lock.owns_lock(), i % 2 != 0);
      }
    };
    const auto read = [&]() -> Task<> {
      for (int i = 0; i < 20; ++i) {
        TaskReaderLock lock = co_await jobs::this_task::lock_shared(mutex);
        ++readers;
        EXPECT_EQ(writers, 0);
        if (i % 4 == 0) co_await jobs::this_task::yield();
        --readers;
        if (i % 2 == 0) lock.unlock();
        EXPECT_EQ(lock.owns_lock(), i % 2 != 0);
      }
    };
    for (int i = 0; i < 15; ++i) {
      jobs::start(counter, write());
      jobs::start(counter, read());
      jobs::spawn(counter, [&] {
        const std::scoped_lock lock(mutex);
        EXPECT_EQ(++writers, 1);
        ++written;
        --writers;
      });
      jobs::spawn(counter, [&] {
        const std::shared_lock lock(mutex);
        ++readers;
        EXPECT_EQ(writers, 0);
        --readers;
      });
    }
    counter.wait();
    EXPECT_EQ(written, 15 * 21);
  });
}

TEST_P(TaskSync, LetsReadersInTogether) {
  run([] {
    SharedMutex mutex;
    Latch all_inside(20);
    Counter counter;
    const auto read = [&]() -> Task<> {
      const TaskReaderLock lock = co_await jobs::this_task::lock_shared(mutex);
      all_inside.count_down();
      co_await all_inside;
    };
    for (int i = 0; i < 20; ++i) jobs::start(counter, read());
    counter.wait();
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskSync, MovesItsLocks) {
  run([] {
    SharedMutex one, other;
    const auto body = [&]() -> Task<> {
      TaskWriterLock first = co_await one;
      TaskWriterLock second = co_await other;
      first = std::move(second);  // unlocks `one`
      EXPECT_TRUE(is_free(one));
      EXPECT_FALSE(is_free(other));
      first.unlock();
      TaskReaderLock reader = co_await jobs::this_task::lock_shared(one);
      const TaskReaderLock moved = std::move(reader);
      EXPECT_TRUE(moved.owns_lock());
      EXPECT_FALSE(is_free(one));
    };
    jobs::sync_wait(body());
    EXPECT_TRUE(is_free(one));
    EXPECT_TRUE(is_free(other));
  });
}

// --- ConditionVariable ---------------------------------------------------------------------------

TEST_P(TaskSync, WaitsForAConditionTogetherWithFibersAndThreads) {
  run([] {
    Mutex mutex;
    ConditionVariable changed;
    int turn = 0, passed = 0;
    Counter counter;
    const auto body = [&](int own) -> Task<> {
      TaskLock lock = co_await mutex;
      while (turn < own) co_await jobs::this_task::wait(changed, lock);
      EXPECT_TRUE(lock.owns_lock());
      ++passed;
    };
    for (int i = 1; i <= 20; ++i) jobs::start(counter, body(i));
    jobs::Fiber fiber([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return turn >= 10; });
      ++passed;
    });
    std::thread thread([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return turn >= 15; });
      ++passed;
    });
    jobs::spawn(counter, [&] {
      for (int i = 0; i < 20; ++i) {
        {
          const std::scoped_lock lock(mutex);
          ++turn;
        }
        changed.notify_all();
        jobs::yield();
      }
    });
    counter.wait();
    fiber.join();
    thread.join();
    EXPECT_EQ(passed, 22);
  });
}

// Each notification lets one waiter pass, and none is lost.
TEST_P(TaskSync, PassesOneNotificationToOneWaiter) {
  run([] {
    constexpr int kTasks = 8;
    const int rounds = jobs::test::scaled(200);
    Mutex mutex;
    ConditionVariable changed;
    int items = 0, taken = 0;
    Counter counter;
    const auto take = [&]() -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        TaskLock lock = co_await mutex;
        while (items == 0) co_await jobs::this_task::wait(changed, lock);
        --items;
        ++taken;
      }
    };
    const auto give = [&]() -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        TaskLock lock = co_await mutex;
        ++items;
        if (i % 2 == 0) lock.unlock();
        changed.notify_one();
      }
    };
    for (int i = 0; i < kTasks; ++i) {
      jobs::start(counter, take());
      jobs::start(counter, give());
    }
    counter.wait();
    EXPECT_EQ(items, 0);
    EXPECT_EQ(taken, kTasks * rounds);
  });
}

TEST(TaskSyncDeathTest, RefusesAConditionWithoutALock) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto wait_unlocked = [] {
    Mutex mutex;
    ConditionVariable changed;
    const auto body = [&]() -> Task<> {
      TaskLock lock = co_await mutex;
      lock.unlock();
      co_await jobs::this_task::wait(changed, lock);
    };
    jobs::sync_wait(body());
  };
  EXPECT_DEATH(wait_unlocked(), "ConditionVariable.*wait\\(\\) with a lock that is not owned");
}

}  // namespace
