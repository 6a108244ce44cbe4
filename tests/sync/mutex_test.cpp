// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/mutex.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <mutex>
#include <shared_mutex>
#include <type_traits>

#include "jobs/error.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::test::elsewhere;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

// One contract for two sets of types: the mutexes of std validate the tests, those of jobs are
// under test.
template <class M>
struct MutexContract : testing::Test {
  M mutex;

  bool can_be_taken_elsewhere() {
    return elsewhere([&] {
      const std::unique_lock lock(mutex, std::try_to_lock);
      return lock.owns_lock();
    });
  }
};

using Mutexes =
    testing::Types<std::timed_mutex, jobs::Mutex, std::shared_timed_mutex, jobs::SharedMutex>;
struct MutexNames {
  template <class M>
  static const char* GetName(int) {
    if (std::is_same_v<M, jobs::Mutex>) return "jobs";
    if (std::is_same_v<M, jobs::SharedMutex>) return "jobs_shared";
    return std::is_same_v<M, std::timed_mutex> ? "std" : "std_shared";
  }
};
TYPED_TEST_SUITE(MutexContract, Mutexes, MutexNames);

TYPED_TEST(MutexContract, IsFreeAtFirstAndAfterUnlock) {
  EXPECT_TRUE(this->can_be_taken_elsewhere());
  {
    const std::scoped_lock lock(this->mutex);
  }
  EXPECT_TRUE(this->can_be_taken_elsewhere());
}

TYPED_TEST(MutexContract, TryLockFailsWhileHeldByAnother) {
  const std::scoped_lock held(this->mutex);
  EXPECT_FALSE(this->can_be_taken_elsewhere());
}

TYPED_TEST(MutexContract, TimedTryLockGivesUpWhileHeldByAnother) {
  const std::scoped_lock held(this->mutex);
  const auto waited = elsewhere([&] {
    const auto start = std::chrono::steady_clock::now();
    const std::unique_lock for_lock(this->mutex, kShort);
    const std::unique_lock until_lock(this->mutex, start + 2 * kShort);
    EXPECT_FALSE(for_lock.owns_lock() || until_lock.owns_lock());
    return std::chrono::steady_clock::now() - start;
  });
  EXPECT_GE(waited, 2 * kShort);
}

TYPED_TEST(MutexContract, TimedTryLockTakesAMutexThatIsUnlockedInTime) {
  std::unique_lock held(this->mutex);
  std::jthread taker([&] {
    const std::unique_lock lock(this->mutex, kLong);
    EXPECT_TRUE(lock.owns_lock());
  });
  settle();
  held.unlock();
}

TYPED_TEST(MutexContract, ADeadlineInThePastStillTakesAFreeMutex) {
  const std::unique_lock lock(this->mutex, std::chrono::steady_clock::now() - kLong);
  EXPECT_TRUE(lock.owns_lock());
}

TYPED_TEST(MutexContract, ScopedLockOfTwoMutexesDoesNotDeadlock) {
  TypeParam other;
  int shared = 0;
  {
    const auto workers = threads(2, [&](std::size_t index) {
      for (int round = 0; round < 2000; ++round) {
        if (index == 0) {
          const std::scoped_lock both(this->mutex, other);
          ++shared;
        } else {
          const std::scoped_lock both(other, this->mutex);
          ++shared;
        }
      }
    });
  }
  EXPECT_EQ(shared, 4000);
}

TYPED_TEST(MutexContract, ExcludesAndPublishes) {
  constexpr int kRounds = 20'000;
  int shared = 0;  // not atomic: the thread sanitizer checks both promises
  {
    const auto workers = threads(4, [&](std::size_t) {
      for (int round = 0; round < kRounds; ++round) {
        const std::scoped_lock lock(this->mutex);
        ++shared;
      }
    });
  }
  EXPECT_EQ(shared, 4 * kRounds);
}

// The next lock owner may destroy the mutex, though the previous owner may still be inside
// unlock().
TYPED_TEST(MutexContract, MayBeDestroyedByTheNextOwner) {
  struct Shared {
    TypeParam mutex;
    int holders = 0;
  };
  for (int round = 0; round < 2000; ++round) {
    auto* shared = new Shared;
    const auto holders = threads(2, [shared](std::size_t) {
      shared->mutex.lock();
      const bool last = ++shared->holders == 2;
      shared->mutex.unlock();
      if (last) delete shared;
    });
  }
}

TEST(Mutex, TimedTryLockRefusesNotANumber) {
  jobs::Mutex mutex;
  const std::chrono::duration<double> nan(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(static_cast<void>(mutex.try_lock_for(nan)), jobs::Error);
}

TEST(Mutex, TryLockByTheOwnerFails) {
  jobs::Mutex mutex;
  mutex.lock();
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(std::chrono::seconds(0)));
  mutex.unlock();
}

}  // namespace
