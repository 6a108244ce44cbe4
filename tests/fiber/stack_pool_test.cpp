// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/stack_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/error.hpp"
#include "tests/support/sanitized.hpp"

namespace jobs::detail {
namespace {

#if defined(JOBS_ASAN)
// The time to forget a number of roots is quadratic in that number.
constexpr std::size_t kMany = 10'000;
#else
constexpr std::size_t kMany = 100'000;
#endif

std::string error_of(std::size_t stack_size) {
  try {
    StackPool pool(stack_size, 0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
    return error.what();
  }
  return "";
}

TEST(StackPool, RefusesSizesThatCannotBeMeant) {
  EXPECT_NE(error_of(0), "");
  EXPECT_NE(error_of(16 * 1024 - 1), "");
  EXPECT_NE(error_of(SIZE_MAX), "");
  EXPECT_EQ(error_of(16 * 1024), "");
}

TEST(StackPool, RoundsUpToPages) {
  StackPool pool(16 * 1024 + 1, 0);
  EXPECT_EQ(pool.stack_size(), 16 * 1024 + os::page_size());
}

TEST(StackPool, GivesStacksThatDoNotOverlap) {
  StackPool pool(16 * 1024, 0);
  std::vector<Stack> stacks;
  for (int i = 0; i < 200; ++i) {
    const Stack stack = pool.allocate();
    *stack.base = std::byte{1};
    *(stack.top() - 1) = std::byte{1};
    for (const Stack& other : stacks)
      EXPECT_TRUE(other.top() <= stack.base || stack.top() <= other.base);
    stacks.push_back(stack);
  }
  for (const Stack& stack : stacks) pool.release(stack);
}

TEST(StackPool, TakesReturnedStacksFirst) {
  StackPool pool(16 * 1024, 0);
  const Stack first = pool.allocate();
  pool.release(first);
  const Stack second = pool.allocate();
  EXPECT_EQ(second.base, first.base);
  pool.release(second);
}

TEST(StackPool, ServesThreadsAtOnce) {
  StackPool pool(16 * 1024, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const Stack a = pool.allocate();
        const Stack b = pool.allocate();
        *a.base = std::byte{1};
        *b.base = std::byte{2};
        EXPECT_EQ(*a.base, std::byte{1});
        pool.release(a);
        pool.release(b);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.in_use(), 0u);
}

// Takes stacks until the pool throws or `count` is reached. Returns the message of the exception,
// or "".
std::string take_many(StackPool& pool, std::size_t count, std::vector<Stack>& taken) {
  try {
    while (taken.size() < count) taken.push_back(pool.allocate());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNoStack);
    return error.what();
  }
  return "";
}

TEST(StackPool, NamesItsLimit) {
  StackPool pool(16 * 1024, 3);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, 4, taken),
            "no stack for one more fiber, 3 are in use: raise SchedulerOptions::max_fibers = 3");
  for (const Stack& stack : taken) pool.release(stack);
}

TEST(StackPoolDeathTest, SaysHowMuchAddressSpaceItWasRefused) {
  if (test::kSanitized) GTEST_SKIP() << "it needs more address space than the test leaves";
  EXPECT_EXIT(
      {
        rlimit half{};
        half.rlim_cur = half.rlim_max = std::size_t{1} << 29;
        ::setrlimit(RLIMIT_AS, &half);
        StackPool pool(std::size_t{1} << 30, 0);
        std::vector<Stack> taken;
        const std::string text = take_many(pool, 1, taken);
        // An emulator ignores the limit.
        std::fputs(text.empty() ? "ulimit -v is without effect" : text.c_str(), stderr);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0),
      "the system refuses 1048640 KiB of address space .Cannot allocate memory.; raise ulimit -v, "
      "see vm.overcommit_memory, or lower the stack size or the number of fibers|without effect");
}

TEST(StackPool, HasNoLimitOfMappingsWithLightweightGuards) {
  if (os::guard_kind() != os::GuardKind::kLightweight)
    GTEST_SKIP() << "this kernel has none (before Linux 6.13)";
  StackPool pool(16 * 1024, 0);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, kMany, taken), "");
  for (const Stack& stack : taken) pool.release(stack);
}

// A pool with many stacks prepares several at once.
TEST(StackPoolDeathTest, EveryStackHasItsGuard) {
  StackPool pool(16 * 1024, 0);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, 700, taken), "");
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{100}, std::size_t{698}}) {
    EXPECT_DEATH(*(taken[i].base - 1) = std::byte{1}, "") << i;
  }
  EXPECT_DEATH(*(taken.back().base - 1) = std::byte{1}, "");
  for (const Stack& stack : taken) pool.release(stack);
}

TEST(StackPool, HasOnePageOfAStackInMemoryAtMostBeforeItIsUsed) {
  StackPool pool(64 * 1024, 0);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, 700, taken), "");
  std::size_t resident = 0;
  for (const Stack& stack : taken) {
    std::byte* const first = os::first_resident_page(stack.base, stack.size);
    EXPECT_GE(first, stack.top() - os::page_size());
    resident += first < stack.top() ? 1u : 0u;
  }
  EXPECT_LE(resident, taken.size() - 32) << "the first ones may be all that there will ever be";
  for (const Stack& stack : taken) pool.release(stack);
}

TEST(StackPool, PrewarmsTheFirstPageOfEachStack) {
  StackPool pool(64 * 1024, 0);
  constexpr std::size_t kStacks = 300;
  pool.prewarm(kStacks);
  pool.prewarm(kStacks);
  pool.prewarm(10);
  EXPECT_EQ(pool.tops(2 * kStacks).size(), kStacks) << "a second call prepares what is missing";
  EXPECT_EQ(pool.in_use(), 0u);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, kStacks, taken), "");
  EXPECT_EQ(pool.tops(2 * kStacks).size(), kStacks) << "all of them were ready";
  for (const Stack& stack : taken) {
    std::byte* const first = os::first_resident_page(stack.base, stack.size);
    EXPECT_GE(first, stack.top() - os::page_size()) << "one page at most";
    if (usable_memory_nodes().size() == 1) {
      EXPECT_LT(first, stack.top());
    }
  }
  for (const Stack& stack : taken) pool.release(stack);
  pool.prewarm(kStacks + 5);
  EXPECT_EQ(pool.tops(2 * kStacks).size(), kStacks + 5);
}

TEST(StackPool, DoesNotCountPrewarmedStacksForItsLimit) {
  StackPool pool(16 * 1024, 10);
  pool.prewarm(20);
  std::vector<Stack> taken;
  EXPECT_NE(take_many(pool, 11, taken), "");
  EXPECT_EQ(taken.size(), 10u);
  for (const Stack& stack : taken) pool.release(stack);
}

TEST(StackPoolDeathTest, GuardsPrewarmedStacks) {
  StackPool pool(16 * 1024, 0);
  pool.prewarm(150);
  const Stack stack = pool.allocate();
  EXPECT_DEATH(*(stack.base - 1) = std::byte{1}, "");
  pool.release(stack);
}

// Returns the number of stacks in memory among those that the pool cuts after `last`. `stride` is
// the distance between neighbours.
std::size_t resident_after(const Stack& last, std::ptrdiff_t stride) {
  std::size_t resident = 0;
  for (std::ptrdiff_t i = 1; i <= 64; ++i) {
    std::byte* const base = last.base + i * stride;
    resident += os::first_resident_page(base, last.size) < base + last.size ? 1u : 0u;
  }
  return resident;
}

TEST(StackPool, ATrimReleasesTheStacksThatArePreparedInAdvance) {
  StackPool pool(16 * 1024, 0);
  std::vector<Stack> taken;
  // The fourth slab has the stacks 256 to 511.
  EXPECT_EQ(take_many(pool, 400, taken), "");
  const std::ptrdiff_t stride = taken[399].base - taken[398].base;
  while (taken.size() < 447 && resident_after(taken.back(), stride) < 2)
    take_many(pool, taken.size() + 1, taken);
  const std::size_t before = resident_after(taken.back(), stride);
  for (const Stack& stack : taken) *(stack.top() - 1) = *stack.base = std::byte{1};
  pool.trim();
  for (const Stack& stack : taken) {
    ASSERT_EQ(*stack.base, std::byte{1}) << "a stack in use lost its content";
    ASSERT_EQ(*(stack.top() - 1), std::byte{1}) << "a stack in use lost its content";
  }
  EXPECT_EQ(resident_after(taken.back(), stride), 0u);
  for (const Stack& stack : taken) pool.release(stack);
  if (before == 0) GTEST_SKIP() << "this system prepares no stack in advance";
}

TEST(StackPoolDeathTest, ATrimLeavesTheGuardsOfStacksThatArePreparedInAdvance) {
  StackPool pool(16 * 1024, 0);
  std::vector<Stack> taken;
  EXPECT_EQ(take_many(pool, 400, taken), "");
  pool.trim();
  EXPECT_EQ(take_many(pool, 430, taken), "");
  for (std::size_t i = 399; i < 430; ++i)
    EXPECT_DEATH(*(taken[i].base - 1) = std::byte{1}, "") << i;
  for (const Stack& stack : taken) pool.release(stack);
}

#if !defined(JOBS_TSAN)  // it keeps no mapping free for itself
TEST(StackPoolDeathTest, NamesMaxMapCountWithProtectedGuards) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("JOBS_STACK_GUARD", "mprotect", 1);
  const std::size_t more = os::max_mappings() / 2 + 1;
  if (more > 200'000) GTEST_SKIP() << "vm.max_map_count is " << os::max_mappings();
  EXPECT_EXIT(
      {
        StackPool pool(16 * 1024, 0);
        std::vector<Stack> taken;
        taken.reserve(more);
        std::fprintf(stderr, "%s\n", take_many(pool, more, taken).c_str());
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "no stack for one more fiber.*vm.max_map_count is [0-9]+");
  unsetenv("JOBS_STACK_GUARD");
}
#endif

TEST(StackPoolDeathTest, MayNotEndBeforeItsStacks) {
  EXPECT_DEATH(
      {
        StackPool pool(16 * 1024, 0);
        pool.allocate();
      },
      "StackPool 0x[0-9a-f]+: destroyed while stacks of it are in use");
}

}  // namespace
}  // namespace jobs::detail
