// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The primitives in jobs of a scheduler, with any number of workers, and between jobs and external
// threads. A wait that blocked its worker would hang these tests with one worker.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <random>
#include <stdexcept>

#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Event;
using jobs::Mutex;
using jobs::spawn;

class PrimitivesInJobs : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(PrimitivesInJobs);

TEST_P(PrimitivesInJobs, AJobThatWaitsLetsOthersRun) {
  run([] {
    constexpr int kWaiters = 50;
    Event ready;
    int data = 0;  // not atomic: the thread sanitizer checks what wait() promises
    std::atomic<int> sum{0};
    Counter done;
    for (int i = 0; i < kWaiters; ++i) {
      spawn(done, [&] {
        ready.wait();
        sum += data;
      });
    }
    spawn(done, [&] {
      data = 1;
      ready.signal();
    });
    done.wait();
    EXPECT_EQ(sum, kWaiters);
  });
}

TEST_P(PrimitivesInJobs, AJobMayWaitForJobsThatItSpawns) {
  run([] {
    std::atomic<int> leaves{0};
    Counter outer;
    for (int i = 0; i < 8; ++i) {
      spawn(outer, [&] {
        Counter inner;
        for (int j = 0; j < 8; ++j) spawn(inner, [&] { ++leaves; });
        inner.wait();
      });
    }
    outer.wait();
    EXPECT_EQ(leaves, 64);
  });
}

TEST_P(PrimitivesInJobs, AMutexMayBeHeldOverASuspension) {
  run([] {
    Mutex mutex;
    int value = 0;
    Counter done;
    for (int i = 0; i < 50; ++i) {
      spawn(done, [&] {
        for (int round = 0; round < 20; ++round) {
          const std::scoped_lock lock(mutex);
          const int seen = value;
          if (round % 4 == 0) jobs::yield();
          value = seen + 1;
        }
      });
    }
    done.wait();
    EXPECT_EQ(value, 1000);
  });
}

TEST_P(PrimitivesInJobs, ItemsGoThroughABoundedQueue) {
  run([] {
    constexpr int kItems = 2000;
    constexpr std::size_t kCapacity = 4;
    Mutex mutex;
    ConditionVariable not_full;
    ConditionVariable not_empty;
    std::deque<int> queue;
    long sum = 0;
    Counter done;
    spawn(done, [&] {
      for (int item = 1; item <= kItems; ++item) {
        std::unique_lock lock(mutex);
        not_full.wait(lock, [&] { return queue.size() < kCapacity; });
        queue.push_back(item);
        not_empty.notify_one();
      }
    });
    for (int consumer = 0; consumer < 4; ++consumer) {
      spawn(done, [&] {
        for (int i = 0; i < kItems / 4; ++i) {
          std::unique_lock lock(mutex);
          not_empty.wait(lock, [&] { return !queue.empty(); });
          sum += queue.front();
          queue.pop_front();
          not_full.notify_one();
        }
      });
    }
    done.wait();
    EXPECT_EQ(sum, long{kItems} * (kItems + 1) / 2);
  });
}

TEST_P(PrimitivesInJobs, DeadlinesPassWhileOthersCompute) {
  run([] {
    Event never;
    std::atomic<int> late{0};
    Counter done;
    for (int i = 0; i < 20; ++i) {
      spawn(done, [&, timeout = std::chrono::milliseconds(1 + i % 5)] {
        const auto start = std::chrono::steady_clock::now();
        if (!never.wait_for(timeout)) ++late;
        EXPECT_GE(std::chrono::steady_clock::now() - start, timeout);
      });
    }
    done.wait();
    EXPECT_EQ(late, 20);
  });
}

TEST_P(PrimitivesInJobs, ExceptionsOfJobsComeOutOfWait) {
  run([] {
    Counter done;
    for (int i = 0; i < 10; ++i) spawn(done, [] { throw std::runtime_error("job"); });
    EXPECT_THROW(done.wait(), std::runtime_error);
    EXPECT_EQ(done.dropped_exceptions(), 9u);
  });
}

TEST_P(PrimitivesInJobs, ExternalThreadsAndJobsShareThem) {
  run([] {
    Mutex mutex;
    ConditionVariable turned;
    int turn = 0;
    // Two parties take turns: each wait ends by a wake-up from the other side.
    const auto play = [&](int me) {
      for (int round = 0; round < 200; ++round) {
        std::unique_lock lock(mutex);
        turned.wait(lock, [&] { return turn == me; });
        turn = 1 - me;
        turned.notify_one();
      }
    };
    Counter done(1);
    spawn(done, [&] { play(0); });
    const std::jthread external([&] {
      play(1);
      done.done();
    });
    done.wait();
  });
}

TEST_P(PrimitivesInJobs, SurviveAStorm) {
  run([] {
    constexpr int kParties = 16;
    constexpr int kRounds = 300;
    Mutex mutex;
    ConditionVariable changed;
    int value = 0;
    std::atomic<int> expected{0};
    Counter done;
    const auto party = [&](std::uint64_t index) {
      std::mt19937_64 random(jobs::test::seed() + index);
      for (int round = 0; round < kRounds; ++round) {
        const std::chrono::nanoseconds brief(random() % 50'000);
        std::unique_lock lock(mutex, std::defer_lock);
        switch (random() % 4) {
          case 0:
            static_cast<void>(lock.try_lock_for(brief));
            break;
          case 1:
            static_cast<void>(lock.try_lock());
            break;
          default:
            lock.lock();
        }
        if (lock.owns_lock()) {
          ++value;
          ++expected;
          if (random() % 8 == 0) static_cast<void>(changed.wait_for(lock, brief));
          if (random() % 8 == 0) jobs::yield();
        }
        if (random() % 4 == 0) changed.notify_all();
      }
    };
    for (std::uint64_t index = 0; index < kParties; ++index)
      spawn(done, [&, index] { party(index); });
    {
      const auto externals =
          jobs::test::threads(2, [&](std::size_t index) { party(kParties + index); });
      done.wait();
    }
    EXPECT_EQ(value, expected);
  });
}

}  // namespace
