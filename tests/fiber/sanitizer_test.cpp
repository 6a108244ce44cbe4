// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The sanitizers detect errors on fibers: without these tests, their silence would prove nothing.
// Empty in an ordinary build.
#include "jobs/base/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/fiber/test_host.hpp"

namespace jobs::detail {
namespace {

using testing::TestHost;

#if defined(JOBS_ASAN)

TEST(AddressSanitizer, FindsAStackClean) {
  StackPool pool(16 * 1024, 0);
  const Stack first = pool.allocate();
  __asan_poison_memory_region(first.base, first.size);  // as abandoned frames do
  pool.release(first);
  const Stack second = pool.allocate();
  ASSERT_EQ(second.base, first.base);
  EXPECT_EQ(__asan_region_is_poisoned(second.base, second.size), nullptr);
  pool.release(second);
}

TEST(AddressSanitizerDeathTest, ReportsADeadLocalOfAFiber) {
  EXPECT_DEATH(
      {
        TestHost host;
        host.spawn([&] {
          // Volatile twice: an optimizer may drop a store that no code can read.
          volatile int* volatile dangling;
          {
            volatile int local = 1;
            dangling = &local;
            host.yield();
          }
          *dangling = 2;
        });
        host.run();
      },
      "stack-use-after-scope");
}

TEST(LeakSanitizer, SeesPointersOnASuspendedStack) {
  TestHost host;
  StackFiber& fiber = host.spawn([&] {
    const auto only_here = std::make_unique<int>(1);
    host.suspend(kToken);
  });
  host.run();
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
  host.deliver(fiber, kToken);
  host.run();
}

#elif defined(JOBS_TSAN)

// Two threads access it: one after the other, or at once.
int shared = 0;

void write_on_a_fiber() {
  TestHost host;
  host.spawn([&] {
    host.yield();
    shared = shared + 1;
  });
  host.run();
}

TEST(ThreadSanitizerDeathTest, ReportsARaceBetweenFibersOfTwoThreads) {
  EXPECT_DEATH(
      {
        std::thread first(write_on_a_fiber);
        std::thread second(write_on_a_fiber);
        first.join();
        second.join();
        std::exit(0);  // a report changes the exit status
      },
      "data race");
}

TEST(ThreadSanitizer, IsSilentAboutFibersThatAreOrdered) {
  shared = 0;
  std::thread(write_on_a_fiber).join();
  std::thread(write_on_a_fiber).join();
  EXPECT_EQ(shared, 2);
}

// Only a switch lies between the two writes. At the end run() follows both.
void write_on_two_fibers() {
  shared = 0;
  TestHost host;
  for (int i = 0; i < 2; ++i) {
    host.spawn([&] {
      host.yield();
      shared = shared + 1;
    });
  }
  host.run();
  shared = shared + 1;
}

#if defined(JOBS_ANNOTATE_SYNC)
TEST(ThreadSanitizerDeathTest, ReportsARaceBetweenFibersOfOneThread) {
  EXPECT_DEATH((write_on_two_fibers(), std::exit(0)), "data race");
}
#else
TEST(ThreadSanitizer, TakesASwitchForSynchronisation) {
  write_on_two_fibers();
  EXPECT_EQ(shared, 3);
}
#endif

TEST(ThreadSanitizer, IsSilentAboutAFiberThatWakesAnother) {
  shared = 0;
  TestHost host;
  StackFiber& woken = host.spawn([&] {
    host.suspend(kToken);
    shared = shared + 1;
  });
  Wakeup wakeup(&woken);
  host.spawn([&] {
    host.yield();
    shared = shared + 1;
    wake(wakeup);
  });
  host.run();
  EXPECT_EQ(shared, 2);
}

// Each fiber runs on the stack of its predecessor.
TEST(ThreadSanitizer, IsSilentAboutAStackThatIsUsedAgain) {
  for (int i = 0; i < 3; ++i) {
    TestHost host;
    host.spawn([&] {
      volatile int local = 1;
      host.yield();
      local = local + 1;
    });
    host.run();
  }
}

#endif

}  // namespace
}  // namespace jobs::detail
