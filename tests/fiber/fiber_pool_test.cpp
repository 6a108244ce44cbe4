// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/fiber_pool.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/error.hpp"
#include "tests/fiber/test_host.hpp"
#include "tests/support/in_turn.hpp"

namespace jobs::detail {
namespace {

using testing::TestHost;

TEST(FiberPool, RunsTenThousandFibersThatWaitForEachOther) {
#if defined(JOBS_TSAN)
  constexpr int kFibers = 2'000;
#else
  constexpr int kFibers = 10'000;
#endif
  TestHost host;
  int started = 0;
  int finished = 0;
  for (int i = 0; i < kFibers; ++i) {
    host.spawn([&] {
      {
        const test::InTurn turn(&started);
        ++started;
      }
      host.yield();
      const test::InTurn turn(&started);
      EXPECT_EQ(started, kFibers);
      ++finished;
    });
  }
  host.run();
  EXPECT_EQ(finished, kFibers);
  EXPECT_EQ(host.fibers().live(), static_cast<std::size_t>(kFibers));
  EXPECT_EQ(host.fibers().idle(), static_cast<std::size_t>(kFibers));
}

TEST(FiberPool, HandsOutTheFiberThatBecameIdleLast) {
  TestHost host;
  const StackFiber* first = &host.spawn([] {});
  const StackFiber* second = &host.spawn([] {});
  host.run();
  EXPECT_EQ(&host.spawn([] {}), second);
  EXPECT_EQ(&host.spawn([] {}), first);
  host.run();
  EXPECT_EQ(host.fibers().live(), 2u);
}

// The fiber that ends above the limit still runs on its stack when the pool returns idle stacks.
TEST(FiberPool, ReturnsIdleStacksButNotThatOfTheFiberThatEnds) {
  TestHost host(testing::kTestStackSize, 0, 1, 1);
  for (int i = 0; i < 4; ++i) host.spawn([] {});
  host.run();
  EXPECT_EQ(host.fibers().idle(), 1u);
  EXPECT_EQ(host.fibers().live(), 1u);
  EXPECT_EQ(host.stacks().in_use(), 1u);
}

TEST(FiberPool, GivesEveryFiberAnIdOfItsOwn) {
  TestHost host;
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(host.spawn([] {}).id);
    host.run();
  }
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(FiberPool, TakesAnotherRangeOfIdsAfterItsOwn) {
  TestHost host(testing::kTestStackSize, 0, FiberPool::kIdRange - 2);
  const std::uint64_t before = FiberPool::take_ids();
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(host.spawn([] {}).id);
    host.run();
  }
  const std::uint64_t next = before + FiberPool::kIdRange;
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{FiberPool::kIdRange - 2, FiberPool::kIdRange - 1, next,
                                             next + 1}));
  EXPECT_EQ(FiberPool::take_ids(), next + FiberPool::kIdRange);
}

TEST(FiberPool, NeverTakesARangeOfIdsTwice) {
  std::uint64_t last = FiberPool::kFirstId;
  for (int i = 0; i < (1 << 24) + 2; ++i) {  // as many pools as ranges of 2^40 ids fit into a word
    const std::uint64_t first = FiberPool::take_ids();
    ASSERT_GT(first, last);
    last = first + FiberPool::kIdRange - 2;
  }
}

TEST(FiberPool, StartsAReusedFiberWithoutTheStateOfTheOneBefore) {
  TestHost host;
  StackFiber& fiber = host.spawn([] {});
  fiber.name = "first";
  fiber.signals = kToken | kCancel;
  host.run();
  StackFiber& again = host.spawn([] {});
  ASSERT_EQ(&again, &fiber);
  EXPECT_EQ(again.name, nullptr);
  EXPECT_EQ(again.signals, 0u);
  host.run();
}

TEST(FiberPool, ThrowsAtItsLimitAndWorksAgainOnceAFiberIsIdle) {
  TestHost host(testing::kTestStackSize, 1);
  host.spawn([] {});
  try {
    host.spawn([] {});
    FAIL() << "a second fiber in spite of the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNoStack);
    EXPECT_NE(std::string(error.what()).find("max_fibers = 1"), std::string::npos) << error.what();
  }
  host.run();
  bool ran = false;
  host.spawn([&] { ran = true; });
  host.run();
  EXPECT_TRUE(ran);
}

TEST(FiberPool, ReservesAFiberThatTheLimitCannotTake) {
  TestHost host(testing::kTestStackSize, 1);
  host.fibers().reserve();
  host.fibers().reserve();
  EXPECT_EQ(host.fibers().live(), 1u);
  bool ran = false;
  host.spawn([&] { ran = true; });
  EXPECT_THROW(host.fibers().reserve(), Error);
  host.run();
  EXPECT_TRUE(ran);
}

// Pages of [base, base + size) that are in memory.
std::size_t resident_pages(const Stack& stack) {
  std::vector<unsigned char> pages(stack.size / os::page_size());
  mincore(stack.base, stack.size, pages.data());
  std::size_t count = 0;
  for (const unsigned char page : pages) count += page & 1;
  return count;
}

void touch_much_stack() {
  char frame[64 * 1024];
  for (std::size_t i = 0; i < sizeof frame; i += 1024) frame[i] = 1;
  asm volatile("" : : "r"(frame) : "memory");  // prevents the optimizer from removing it
}

#if !defined(JOBS_ASAN) && !defined(JOBS_TSAN)  // there frames are larger
TEST(FiberPool, NeedsOnePageForABlockedFiber) {
  TestHost host;
  std::vector<StackFiber*> fibers;
  for (int i = 0; i < 40; ++i) fibers.push_back(&host.spawn([&] { host.suspend(kToken); }));
  host.run();
  for (StackFiber* fiber : fibers) {
    EXPECT_EQ(resident_pages(fiber->stack()), 1u);
    host.deliver(*fiber, kToken);
  }
  host.run();
}
#endif

TEST(FiberPool, GivesBackThePagesOfIdleFibersButNotOfTheWarmOnes) {
  TestHost host;
  const Stack cold = host.spawn(touch_much_stack).stack();
  const Stack keep = host.spawn(touch_much_stack).stack();
  host.run();
  ASSERT_GE(resident_pages(cold), 16u);
  host.fibers().trim(1);
  EXPECT_LE(resident_pages(cold), 2u);
  EXPECT_GE(resident_pages(keep), 16u);

  int ran = 0;
  for (int i = 0; i < 2; ++i) {
    host.spawn([&] {
      const test::InTurn turn(&ran);
      ++ran;
    });
  }
  host.run();
  EXPECT_EQ(ran, 2);
}

TEST(FiberPoolDeathTest, MayNotEndBeforeItsFibers) {
  EXPECT_DEATH(
      {
        TestHost host;
        host.spawn([&] { host.suspend(kToken); });
        host.run();
      },
      "FiberPool 0x[0-9a-f]+: destroyed while fibers of it are in use");
}

}  // namespace
}  // namespace jobs::detail
