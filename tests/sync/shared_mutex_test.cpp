// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The guarantees between readers and writers. mutex_test.cpp tests the class as a mutex for writers
// alone.
#include "jobs/sync/shared_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "tests/sync/threads.hpp"

namespace {

using jobs::test::elsewhere;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

// One contract for two types: std::shared_timed_mutex validates the tests, jobs::SharedMutex is
// under test.
template <class M>
struct SharedMutexContract : testing::Test {
  M mutex;

  bool can_be_read_elsewhere() {
    return elsewhere([&] { return std::shared_lock(mutex, std::try_to_lock).owns_lock(); });
  }
  bool can_be_written_elsewhere() {
    return elsewhere([&] { return std::unique_lock(mutex, std::try_to_lock).owns_lock(); });
  }
};

using SharedMutexes = testing::Types<std::shared_timed_mutex, jobs::SharedMutex>;
struct SharedMutexNames {
  template <class M>
  static const char* GetName(int) {
    return std::is_same_v<M, jobs::SharedMutex> ? "jobs" : "std";
  }
};
TYPED_TEST_SUITE(SharedMutexContract, SharedMutexes, SharedMutexNames);

TYPED_TEST(SharedMutexContract, ReadersShareAndKeepWritersOut) {
  const std::shared_lock reader(this->mutex);
  EXPECT_TRUE(this->can_be_read_elsewhere());
  EXPECT_FALSE(this->can_be_written_elsewhere());
}

TYPED_TEST(SharedMutexContract, AWriterKeepsEverybodyOut) {
  const std::scoped_lock writer(this->mutex);
  EXPECT_FALSE(this->can_be_read_elsewhere());
  EXPECT_FALSE(this->can_be_written_elsewhere());
}

TYPED_TEST(SharedMutexContract, TimedLocksGiveUpInTime) {
  const std::scoped_lock writer(this->mutex);
  const auto waited = elsewhere([&] {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(std::shared_lock(this->mutex, kShort).owns_lock());
    EXPECT_FALSE(std::shared_lock(this->mutex, start + 2 * kShort).owns_lock());
    return std::chrono::steady_clock::now() - start;
  });
  EXPECT_GE(waited, 2 * kShort);
}

TYPED_TEST(SharedMutexContract, AWriterLetsAllReadersIn) {
  std::atomic<int> inside{0};
  {
    std::unique_lock writer(this->mutex);
    const auto readers = threads(3, [&](std::size_t) {
      const std::shared_lock reader(this->mutex);
      ++inside;
      while (inside != 3) std::this_thread::yield();  // together
    });
    settle();
    EXPECT_EQ(inside, 0);
    writer.unlock();
  }
}

TYPED_TEST(SharedMutexContract, WritersExcludeAndPublish) {
  constexpr int kRounds = 5000;
  int shared = 0;  // not atomic: the thread sanitizer checks both promises
  {
    const auto parties = threads(4, [&](std::size_t index) {
      int seen = 0;
      for (int round = 0; round < kRounds; ++round) {
        if (index % 2 == 0) {
          const std::scoped_lock writer(this->mutex);
          ++shared;
        } else {
          const std::shared_lock reader(this->mutex);
          EXPECT_GE(shared, seen);
          seen = shared;
        }
      }
    });
  }
  EXPECT_EQ(shared, 2 * kRounds);
}

TEST(SharedMutex, AReaderQueuesUpBehindAWriterThatWaits) {
  jobs::SharedMutex mutex;
  std::shared_lock first(mutex);
  std::jthread writer([&] { const std::scoped_lock lock(mutex); });
  while (elsewhere([&] { return std::shared_lock(mutex, std::try_to_lock).owns_lock(); }))
    std::this_thread::yield();
  first.unlock();
  writer.join();
  EXPECT_TRUE(std::shared_lock(mutex, std::try_to_lock).owns_lock());
}

TEST(SharedMutex, AWriterThatGivesUpLetsReadersPass) {
  jobs::SharedMutex mutex;
  const std::shared_lock first(mutex);
  std::jthread writer([&] { EXPECT_FALSE(std::unique_lock(mutex, 4 * kShort).owns_lock()); });
  while (elsewhere([&] { return std::shared_lock(mutex, std::try_to_lock).owns_lock(); }))
    std::this_thread::yield();
  const std::shared_lock second(mutex, kLong);
  EXPECT_TRUE(second.owns_lock());
}

}  // namespace
