// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/condition_variable.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "tests/sync/threads.hpp"

namespace {

using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

struct StdPair {
  using Mutex = std::mutex;
  using ConditionVariable = std::condition_variable;
};
struct JobsPair {
  using Mutex = jobs::Mutex;
  using ConditionVariable = jobs::ConditionVariable;
};

// One contract for two sets of types: those of std validate the tests, those of jobs are under
// test.
template <class Pair>
struct ConditionVariableContract : testing::Test {
  typename Pair::Mutex mutex;
  typename Pair::ConditionVariable changed;
  int value = 0;
};

struct PairNames {
  template <class Pair>
  static const char* GetName(int) {
    return std::is_same_v<Pair, JobsPair> ? "jobs" : "std";
  }
};
using Pairs = testing::Types<StdPair, JobsPair>;
TYPED_TEST_SUITE(ConditionVariableContract, Pairs, PairNames);

TYPED_TEST(ConditionVariableContract, NotifyWithoutWaitersIsForgotten) {
  this->changed.notify_one();
  this->changed.notify_all();
  std::unique_lock lock(this->mutex);
  EXPECT_FALSE(this->changed.wait_for(lock, kShort, [] { return false; }));
  EXPECT_TRUE(lock.owns_lock());
}

TYPED_TEST(ConditionVariableContract, WaitReturnsUnderTheLock) {
  const std::jthread notifier([&] {
    settle();
    const std::scoped_lock lock(this->mutex);
    this->value = 1;
    this->changed.notify_one();
  });
  std::unique_lock lock(this->mutex);
  this->changed.wait(lock, [&] { return this->value == 1; });
  EXPECT_TRUE(lock.owns_lock());
}

TYPED_TEST(ConditionVariableContract, NotifyAllReachesEveryWaiter) {
  std::vector<std::jthread> waiters = threads(4, [&](std::size_t) {
    std::unique_lock lock(this->mutex);
    this->changed.wait(lock, [&] { return this->value > 0; });
    ++this->value;
  });
  settle();
  {
    const std::scoped_lock lock(this->mutex);
    this->value = 1;
  }
  this->changed.notify_all();
  waiters.clear();
  EXPECT_EQ(this->value, 5);
}

TYPED_TEST(ConditionVariableContract, NotifyOneReachesOneForEachItem) {
  constexpr int kItems = 5000;
  std::deque<int> queue;
  long sum = 0;
  {
    const auto consumers = threads(3, [&](std::size_t) {
      for (;;) {
        std::unique_lock lock(this->mutex);
        this->changed.wait(lock, [&] { return !queue.empty(); });
        const int item = queue.front();
        if (item < 0) return;  // the other consumers take it
        queue.pop_front();
        sum += item;
      }
    });
    for (int item = 1; item <= kItems; ++item) {
      {
        const std::scoped_lock lock(this->mutex);
        queue.push_back(item);
      }
      this->changed.notify_one();
    }
    {
      const std::scoped_lock lock(this->mutex);
      queue.push_back(-1);
    }
    this->changed.notify_all();
  }
  EXPECT_EQ(sum, long{kItems} * (kItems + 1) / 2);
}

TYPED_TEST(ConditionVariableContract, TimedWaitGivesUpUnderTheLock) {
  std::unique_lock lock(this->mutex);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(this->changed.wait_until(lock, start + kShort, [&] { return this->value == 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, kShort);
  EXPECT_TRUE(lock.owns_lock());
}

TYPED_TEST(ConditionVariableContract, TimedWaitIsWokenBeforeItsDeadline) {
  const std::jthread notifier([&] {
    settle();
    const std::scoped_lock lock(this->mutex);
    this->value = 1;
    this->changed.notify_one();
  });
  std::unique_lock lock(this->mutex);
  EXPECT_TRUE(this->changed.wait_for(lock, kLong, [&] { return this->value == 1; }));
}

TYPED_TEST(ConditionVariableContract, AConditionThatThrowsLeavesTheLockHeld) {
  std::unique_lock lock(this->mutex);
  EXPECT_THROW(this->changed.wait(lock, []() -> bool { throw std::runtime_error("condition"); }),
               std::runtime_error);
  EXPECT_TRUE(lock.owns_lock());
}

TYPED_TEST(ConditionVariableContract, MayBeDestroyedAfterNotifyAll) {
  for (int round = 0; round < 500; ++round) {
    auto mortal = std::make_unique<typename TypeParam::ConditionVariable>();
    int arrived = 0;
    bool go = false;
    const auto waiters = threads(2, [&](std::size_t) {
      std::unique_lock lock(this->mutex);
      ++arrived;
      do {
        mortal->wait(lock);
      } while (std::is_same_v<TypeParam, StdPair> && !go);  // may wake up without a notification
      EXPECT_TRUE(go);
    });
    for (bool all = false; !all; std::this_thread::yield()) {
      const std::scoped_lock lock(this->mutex);
      all = arrived == 2;
      if (!all) continue;
      go = true;
      mortal->notify_all();
      mortal.reset();
    }
  }
}

TEST(ConditionVariable, TimedWaitWithoutConditionSaysWhetherItWasNotified) {
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(changed.wait_for(lock, kShort));
  EXPECT_FALSE(changed.wait_until(lock, std::chrono::system_clock::now() - kLong));
  const std::jthread notifier([&] {
    const std::scoped_lock held(mutex);  // free only once the wait has begun
    changed.notify_one();
  });
  EXPECT_TRUE(changed.wait_for(lock, kLong));
}

// A notified waiter queues for its own mutex, also if other waiters use different mutexes.
TEST(ConditionVariable, WaitersMayComeWithDifferentMutexes) {
  jobs::Mutex mutexes[2];
  jobs::ConditionVariable changed;
  std::atomic<int> waiting{0};
  const auto waiters = threads(2, [&](std::size_t index) {
    std::unique_lock lock(mutexes[index]);
    ++waiting;
    changed.wait(lock);
  });
  while (waiting != 2) std::this_thread::yield();
  const std::scoped_lock both(mutexes[0], mutexes[1]);  // free only once both waits have begun
  changed.notify_all();
}

}  // namespace
