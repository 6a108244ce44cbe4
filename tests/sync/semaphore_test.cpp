// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/semaphore.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <semaphore>

#include "tests/sync/threads.hpp"

namespace {

using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

// One contract for two types: std::counting_semaphore validates the tests, jobs::Semaphore is under
// test.
template <class S>
struct SemaphoreContract : testing::Test {};

using Semaphores = testing::Types<std::counting_semaphore<>, jobs::Semaphore>;
struct SemaphoreNames {
  template <class S>
  static const char* GetName(int) {
    return std::is_same_v<S, jobs::Semaphore> ? "jobs" : "std";
  }
};
TYPED_TEST_SUITE(SemaphoreContract, Semaphores, SemaphoreNames);

TYPED_TEST(SemaphoreContract, CountsPermits) {
  TypeParam semaphore(2);
  EXPECT_TRUE(semaphore.try_acquire());
  semaphore.acquire();
  EXPECT_FALSE(semaphore.try_acquire());
  semaphore.release(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(semaphore.try_acquire_for(kLong));
  EXPECT_FALSE(semaphore.try_acquire_for(kShort));
  EXPECT_FALSE(semaphore.try_acquire_until(std::chrono::steady_clock::now() + kShort));
}

TYPED_TEST(SemaphoreContract, AReleaseOfSeveralWakesSeveral) {
  TypeParam semaphore(0);
  int data = 0;  // not atomic: the thread sanitizer checks what acquire() promises
  std::atomic<int> sum{0};
  {
    const auto waiters = threads(3, [&](std::size_t) {
      semaphore.acquire();
      sum += data;
    });
    settle();
    data = 1;
    semaphore.release(3);
  }
  EXPECT_EQ(sum, 3);
  EXPECT_FALSE(semaphore.try_acquire());
}

TYPED_TEST(SemaphoreContract, LimitsHowManyAreInside) {
  TypeParam semaphore(2);
  std::atomic<int> inside{0};
  std::atomic<int> passed{0};
  {
    const auto users = threads(5, [&](std::size_t) {
      for (int round = 0; round < 3000; ++round) {
        semaphore.acquire();
        EXPECT_LE(++inside, 2);
        --inside;
        ++passed;
        semaphore.release();
      }
    });
  }
  EXPECT_EQ(passed, 15'000);
}

TEST(Semaphore, MayBeDestroyedByTheAcquirer) {
  for (int round = 0; round < 2000; ++round) {
    auto* const semaphore = new jobs::Semaphore(0);
    const std::jthread releaser([semaphore] { semaphore->release(); });
    semaphore->acquire();
    delete semaphore;
  }
}

}  // namespace
