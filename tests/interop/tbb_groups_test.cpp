// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Deferred and suspended tasks, groups that several threads use, and contexts inside of each other:
// jobs/interop/tbb.hpp.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "jobs/interop/tbb.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class TbbGroups : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbGroups);

TEST_P(TbbGroups, WaitForDeferredTasks) {
  run([] {
    tbb::task_group group;
    std::atomic<int> calls{0};
    tbb::task_handle handle = group.defer([&] { ++calls; });
    jobs::Counter other;
    jobs::spawn(other, [&] {
      jobs::yield();
      group.run(std::move(handle));
    });
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(calls, 1);
    other.wait();
    {
      const tbb::task_handle dropped = group.defer([&] { ++calls; });
    }
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(calls, 1);
  });
}

// As in oneTBB's example recursive_fibonacci: the last of two tasks starts their successor.
TEST_P(TbbGroups, TaskStartsADeferredTask) {
  run([] {
    tbb::task_group group;
    std::atomic<int> ready{0};
    int sum = 0;
    std::atomic<int> left{2};
    tbb::task_handle successor = group.defer([&] { sum = ready; });
    for (int i = 0; i < 2; ++i) {
      group.run([&, i] {
        ready += i + 1;
        if (--left == 0) group.run(std::move(successor));
      });
    }
    group.wait();
    EXPECT_EQ(sum, 3);
  });
}

TEST_P(TbbGroups, ArenasRunDeferredTasks) {
  uses_default_scheduler();
  run([] {
    tbb::task_group group;
    std::atomic<int> calls{0};
    tbb::task_arena arena(2);
    arena.enqueue(group.defer([&, owner = std::make_unique<int>(1)] { calls += *owner; }));
    group.wait();
    EXPECT_EQ(calls, 1);
    tbb::this_task_arena::enqueue(group.defer([&] { ++calls; }));
    group.wait();
    EXPECT_EQ(calls, 2);
  });
}

TEST_P(TbbGroups, TakeTasksWhileOthersWait) {
  run([] {
    for (int round = 0; round < 100; ++round) {
      tbb::task_group group;
      std::atomic<int> calls{0};
      const auto use = [&] {
        for (int i = 0; i < 10; ++i) {
          group.run([&] {
            group.run([&] { ++calls; });
            ++calls;
          });
          EXPECT_EQ(group.wait(), tbb::complete);
        }
      };
      jobs::Counter users;
      for (int user = 0; user < 3; ++user) jobs::spawn(users, use);
      use();
      users.wait();
      ASSERT_EQ(calls, 4 * 10 * 2);
    }
  });
}

TEST_P(TbbGroups, AnyWaiterGetsTheException) {
  run([] {
    tbb::task_group group;
    jobs::Counter other;
    bool has_thrown = false;
    jobs::spawn(other, [&] {
      group.run([] { throw std::runtime_error("task"); });
      try {
        group.wait();
      } catch (const std::runtime_error&) {
        has_thrown = true;
      }
    });
    other.wait();
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(group.wait(), tbb::complete);
  });
}

TEST_P(TbbGroups, CancelReachesNestedWork) {
  run([] {
    tbb::task_group_context context;
    std::atomic<int> calls{0};
    std::atomic<int> kept{0};
    EXPECT_FALSE(tbb::is_current_task_group_canceling());
    const auto body = [&](const tbb::blocked_range<int>&) {
      EXPECT_FALSE(tbb::is_current_task_group_canceling());
      tbb::parallel_for(0, 10, [&](int) { ++kept; });
      context.cancel_group_execution();
      EXPECT_TRUE(tbb::is_current_task_group_canceling());
      tbb::parallel_for(0, 1000, [&](int) { ++calls; });
      tbb::parallel_invoke([&] { ++calls; }, [&] { ++calls; },
                           [&] { tbb::parallel_invoke([&] { ++calls; }, [] {}); });
      // AddressSanitizer keeps the group of a body elsewhere than on its stack.
      if (!jobs::test::kSanitized || jobs::test::kUnderThreadSanitizer) {
        tbb::task_group group;
        group.run([&] { ++calls; });
        EXPECT_EQ(group.wait(), tbb::canceled);
      }
      tbb::task_group_context isolated(tbb::task_group_context::isolated);
      tbb::parallel_for(0, 10, [&](int) { ++kept; }, isolated);
    };
    tbb::parallel_for(tbb::blocked_range<int>(0, 1), body, context);
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(kept, 20);
    EXPECT_FALSE(tbb::is_current_task_group_canceling());
  });
}

// Each iteration cancels its own group, which is nested in the loop.
TEST_P(TbbGroups, CancelStaysInside) {
  run([] {
    std::atomic<int> after{0};
    tbb::parallel_for(0, 50, [&](int) {
      tbb::task_group group;
      group.run([&] { group.cancel(); });
      EXPECT_EQ(group.wait(), tbb::canceled);
      tbb::parallel_for(0, 10, [&](int) { ++after; });
    });
    EXPECT_EQ(after, 500);
  });
}

// While one body waits, its worker runs the other one.
TEST_P(TbbGroups, FibersOfAWorkerKeepTheirContexts) {
  run([] {
    tbb::task_group_context first, second;
    tbb::task_group kept(first), cancelled(second);
    jobs::Event is_cancelled;
    std::atomic<int> calls{0};
    kept.run([&] {
      is_cancelled.wait();
      tbb::parallel_for(0, 100, [&](int) { ++calls; });
    });
    cancelled.run([&] {
      second.cancel_group_execution();
      is_cancelled.signal();
      jobs::yield();
      tbb::parallel_for(0, 100, [&](int) { calls += 1000; });
    });
    EXPECT_EQ(kept.wait(), tbb::complete);
    EXPECT_EQ(cancelled.wait(), tbb::canceled);
    EXPECT_EQ(calls, 100);
  });
}

TEST_P(TbbGroups, SuspendedTasksGoOn) {
  run([] {
    tbb::task_group group;
    std::atomic<tbb::task::suspend_point> suspended{nullptr};
    std::atomic<bool> is_resumed{false};
    group.run([&] {
      tbb::task::suspend([&](tbb::task::suspend_point point) { suspended = point; });
      EXPECT_TRUE(is_resumed);
    });
    group.run([&] {
      while (suspended == nullptr) jobs::yield();
      is_resumed = true;
      tbb::task::resume(suspended);
    });
    group.wait();
    EXPECT_TRUE(is_resumed);
    tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
  });
}

TEST(TbbContext, KeepsItsTraits) {
  using Context = tbb::task_group_context;
  EXPECT_EQ(Context().traits(), Context::default_traits);
  EXPECT_EQ(Context(Context::bound, Context::concurrent_wait).traits(), Context::concurrent_wait);
  EXPECT_EQ(Context(Context::isolated, Context::fp_settings | Context::concurrent_wait).traits(),
            static_cast<std::uintptr_t>(Context::fp_settings | Context::concurrent_wait));
}

}  // namespace
