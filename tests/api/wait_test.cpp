// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits across workers, fibers and external threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;

class Wait : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Wait);

TEST_P(Wait, ExcludesEachOtherByAMutexInJobsAndExternalThreads) {
  constexpr int kEach = 500;
  int inside = 0, sum = 0;  // guarded by the mutex
  run([&] {
    jobs::Mutex mutex;
    const auto work = [&] {
      for (int i = 0; i < kEach; ++i) {
        const std::scoped_lock lock(mutex);
        ++inside;
        if (i % 50 == 0) jobs::yield();  // a fiber may wait while it owns the mutex
        if (inside != 1) ADD_FAILURE() << "two inside";
        --inside;
        ++sum;
      }
    };
    jobs::Counter done;
    for (int i = 0; i < 8; ++i) jobs::spawn(done, work);
    std::jthread first(work), second(work);
    done.wait();
    first.join();
    second.join();
  });
  EXPECT_EQ(sum, 10 * kEach);
}

TEST_P(Wait, HoldsAMutexOverAParallelLoopWithoutDeadlock) {
  // A wait never runs another job on top of its stack, so no job can need a lock of a frame below
  // it.
  run([&] {
    jobs::Mutex mutex;
    int sum = 0;
    jobs::Counter done;
    for (int i = 0; i < 20; ++i) {
      jobs::spawn(done, [&] {
        const std::scoped_lock lock(mutex);
        std::atomic<int> part{0};
        jobs::parallel_for(0, 50, [&part](int) { ++part; }, jobs::Grain(1));
        sum += part;
      });
    }
    done.wait();
    EXPECT_EQ(sum, 1000);
  });
}

TEST_P(Wait, HandsItemsThroughAConditionVariable) {
  run([&] {
    jobs::Mutex mutex;
    jobs::ConditionVariable changed;
    std::vector<int> items;
    bool closed = false;
    std::atomic<int> taken{0};
    const auto consume = [&] {
      std::unique_lock lock(mutex);
      for (;;) {
        changed.wait(lock, [&] { return closed || !items.empty(); });
        if (items.empty()) return;
        taken += items.back();
        items.pop_back();
      }
    };
    jobs::Counter consumers;
    for (int i = 0; i < 4; ++i) jobs::spawn(consumers, consume);
    std::jthread outside(consume);
    for (int i = 1; i <= 300; ++i) {
      {
        const std::scoped_lock lock(mutex);
        items.push_back(i);
      }
      changed.notify_one();
      if (i % 10 == 0) jobs::yield();
    }
    {
      const std::scoped_lock lock(mutex);
      closed = true;
    }
    changed.notify_all();
    consumers.wait();
    outside.join();
    EXPECT_EQ(taken, 300 * 301 / 2);
  });
}

TEST_P(Wait, SignalsBetweenJobsAndExternalThreads) {
  run([&] {
    for (int round = 0; round < 100; ++round) {
      jobs::Event ping, pong;
      int value = 0;
      std::jthread outside([&] {
        ping.wait();
        ++value;
        pong.signal();
      });
      value = round;
      ping.signal();
      pong.wait();
      ASSERT_EQ(value, round + 1);
    }
  });
}

TEST_P(Wait, PlaysPingPongBetweenTwoFibers) {
  run([&] {
    constexpr int kRounds = 300;
    std::vector<jobs::Event> turns(2 * kRounds + 1);
    jobs::Fiber<> even([&] {
      for (std::size_t i = 0; i < 2 * kRounds; i += 2) {
        turns[i].wait();
        turns[i + 1].signal();
      }
    });
    jobs::Fiber<> odd([&] {
      for (std::size_t i = 1; i < 2 * kRounds; i += 2) {
        turns[i].wait();
        turns[i + 1].signal();
      }
    });
    turns[0].signal();
    turns[2 * kRounds].wait();
    even.join();
    odd.join();
  });
}

TEST_P(Wait, ResumesInTheOrderOfArrival) {
  run([&] {
    jobs::Event open;
    jobs::Mutex mutex;
    std::vector<int> order;
    std::vector<jobs::Fiber<>> fibers;
    std::atomic<int> arrived{0};
    // A fiber has one home: all waiters are children of one job, on one worker if there is only
    // one.
    for (int i = 0; i < 10; ++i) {
      fibers.emplace_back([&, i] {
        ++arrived;
        open.wait();
        const std::scoped_lock lock(mutex);
        order.push_back(i);
      });
      while (arrived <= i) jobs::yield();
      jobs::yield();
    }
    open.signal();
    for (auto& fiber : fibers) fiber.join();
    ASSERT_EQ(order.size(), 10u);
    if (is_serial()) {
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
  });
}

TEST_P(Wait, GivesUpAtTheDeadlineAndNotBefore) {
  run([&] {
    jobs::Event never;
    jobs::Counter pending(1);
    jobs::Mutex held;
    jobs::ConditionVariable silent;
    held.lock();
    const auto at_least = [](auto wait) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(wait());
      EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
    };
    at_least([&] { return never.wait_for(5ms); });
    at_least([&] { return never.wait_until(std::chrono::steady_clock::now() + 5ms); });
    at_least([&] { return never.wait_until(std::chrono::system_clock::now() + 6ms); });
    at_least([&] { return pending.wait_for(5ms); });
    jobs::Fiber<> other([&] { at_least([&] { return held.try_lock_for(5ms); }); });
    other.join();
    held.unlock();
    std::unique_lock lock(held);
    at_least([&] { return silent.wait_for(lock, 5ms); });
    EXPECT_TRUE(lock.owns_lock());
    pending.done();
  });
}

TEST_P(Wait, DoesNotGiveUpWhenTheDeadlineIsFar) {
  run([&] {
    for (const auto timeout : {std::chrono::hours(1), std::chrono::hours::max()}) {
      jobs::Event event;
      jobs::Fiber<bool> waiter([&] { return event.wait_for(timeout); });
      jobs::yield();
      event.signal();
      EXPECT_TRUE(waiter.join());
    }
  });
}

TEST_P(Wait, RacesSignalsWithDeadlines) {
  run([&] {
    std::atomic<int> in_time{0}, late{0};
    for (int round = 0; round < 100; ++round) {
      jobs::Event event;
      std::vector<jobs::Fiber<>> waiters;
      for (int i = 0; i < 4; ++i) {
        waiters.emplace_back([&event, &in_time, &late, i] {
          ++(event.wait_for(std::chrono::microseconds(50 * i)) ? in_time : late);
        });
      }
      jobs::this_fiber::sleep_for(50us);
      event.signal();
      for (auto& waiter : waiters) waiter.join();
    }
    EXPECT_EQ(in_time + late, 400);
  });
}

TEST_P(Wait, ServesOtherJobsMeanwhile) {
  run([&] {
    // More waiting jobs than workers; the job that opens the event runs last.
    jobs::Event open;
    jobs::Counter done;
    std::atomic<int> passed{0};
    for (int i = 0; i < 100; ++i) {
      jobs::spawn(done, [&] {
        open.wait();
        ++passed;
      });
    }
    jobs::spawn(done, [&] { open.signal(); });
    done.wait();
    EXPECT_EQ(passed, 100);
  });
}

}  // namespace
