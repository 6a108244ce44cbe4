// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Corner cases of task_group, arenas, controls and thread-local values of jobs/interop/tbb.hpp.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class TbbTasks : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbTasks);

TEST_P(TbbTasks, GroupWaitsForAllAndForWhatTheyRun) {
  run([] {
    std::atomic<int> calls{0};
    tbb::task_group group;
    EXPECT_EQ(group.wait(), tbb::complete);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 10; ++i) {
        group.run([&] {
          group.run([&] { ++calls; });
          ++calls;
        });
      }
      EXPECT_EQ(group.run_and_wait([&] { ++calls; }), tbb::task_group_status::complete);
      EXPECT_EQ(calls, 21 * (round + 1));
    }
    auto handle = group.defer([&, owner = std::make_unique<int>(5)] { calls = *owner; });
    EXPECT_TRUE(handle);
    group.run(std::move(handle));
    EXPECT_TRUE(handle == nullptr);
    group.wait();
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(group.run_and_wait(group.defer([&] { calls = 6; })), tbb::complete);
    EXPECT_EQ(calls, 6);
  });
}

TEST_P(TbbTasks, GroupRethrowsAndCanBeUsedAgain) {
  run([] {
    tbb::task_group group;
    for (int i = 0; i < 5; ++i) group.run([] { throw std::runtime_error("job"); });
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_THROW(group.run_and_wait([] { throw std::runtime_error("here"); }), std::runtime_error);
    bool ran = false;
    group.run([&] { ran = true; });
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_TRUE(ran);
  });
}

TEST_P(TbbTasks, CancelledGroupRunsNothingMore) {
  run([] {
    tbb::task_group_context context;
    tbb::task_group group(context);
    std::atomic<int> calls{0};
    group.run([&] {
      group.cancel();
      for (int i = 0; i < 10; ++i) group.run([&] { ++calls; });
    });
    EXPECT_EQ(group.wait(), tbb::canceled);
    EXPECT_EQ(calls, 0);
    group.run([&] { ++calls; });
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(calls, 1);
    context.cancel_group_execution();
    EXPECT_EQ(group.run_and_wait([&] { ++calls; }), tbb::canceled);
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(TbbTasks, DestructorOfAGroupEndsItsJobsAndSaysSo) {
  run([] {
    bool ended = false;
    const auto forget = [&](bool fails) {
      tbb::task_group_context context;
      jobs::Event begun;
      tbb::task_group group(context);
      ended = false;
      group.run([&] {
        begun.signal();
        while (!context.is_group_execution_cancelled()) jobs::yield();
        ended = true;
      });
      begun.wait();
      if (fails) throw std::runtime_error("on the way");
    };
    EXPECT_THROW(forget(false), tbb::missing_wait);
    EXPECT_TRUE(ended);
    EXPECT_THROW(forget(true), std::runtime_error);
    EXPECT_TRUE(ended);
  });
}

TEST_P(TbbTasks, ArenaReturnsWhatItsFunctionReturns) {
  uses_default_scheduler();
  run([] {
    for (const int size : {tbb::task_arena::automatic, 1, 3}) {
      tbb::task_arena arena(size);
      int value = 1;
      int& same = arena.execute([&]() -> int& { return ++value; });
      EXPECT_EQ(&same, &value);
      EXPECT_EQ(*arena.execute([] { return std::make_unique<int>(7); }), 7);
      EXPECT_THROW(arena.execute([] { throw std::runtime_error("inside"); }), std::runtime_error);
      EXPECT_TRUE(arena.is_active());
      arena.execute([&] {
        EXPECT_EQ(tbb::this_task_arena::max_concurrency(), arena.max_concurrency());
        arena.execute([&] { ++value; });
        tbb::task_arena(2).execute([&] { ++value; });
      });
      EXPECT_EQ(value, 4);
      EXPECT_EQ(tbb::this_task_arena::isolate([] { return 8; }), 8);
    }
    tbb::task_arena late;
    late.initialize(3);
    EXPECT_EQ(late.max_concurrency(), 3);
    late.terminate();
    EXPECT_FALSE(late.is_active());
    EXPECT_EQ(late.execute([] { return tbb::this_task_arena::max_concurrency(); }), 3);
  });
}

TEST_P(TbbTasks, ArenaWaitsForWhatWasEnqueued) {
  uses_default_scheduler();  // it limits the workers of the arena
  run([] {
    std::atomic<int> calls{0};
    {
      tbb::task_arena arena(2);
      for (int i = 0; i < 20; ++i) arena.enqueue([&] { ++calls; });
    }
    EXPECT_EQ(calls, 20);
    jobs::Event done;
    tbb::this_task_arena::enqueue([&] { done.signal(); });
    done.wait();
  });
}

struct Immovable {
  Immovable() = default;
  Immovable(const Immovable&) = delete;
  std::mutex mutex;
  int value = 0;
};

TEST_P(TbbTasks, EachThreadHasAValueOfItsOwn) {
  uses_default_scheduler();
  run([this] {
    tbb::enumerable_thread_specific<Immovable> values;
    EXPECT_TRUE(values.empty());
    tbb::parallel_for(0, 1000, [&](int) { ++values.local().value; });
    int sum = 0;
    for (const Immovable& value : std::as_const(values)) sum += value.value;
    values.combine_each([&](Immovable& value) { sum += value.value; });
    EXPECT_EQ(sum, 2000);
    // An external thread takes part beside the workers (outside.hpp).
    const auto threads =
        static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + (is_external() ? 1 : 0);
    EXPECT_LE(values.size(), threads);

    bool exists = true;
    tbb::enumerable_thread_specific<std::string> words(std::size_t{3}, 'x');
    EXPECT_EQ(words.local(exists), "xxx");
    EXPECT_FALSE(exists);
    words.local() += "y";
    EXPECT_EQ(words.local(exists), "xxxy");
    EXPECT_TRUE(exists);
    std::thread([&] { EXPECT_EQ(words.local(), "xxx"); }).join();
    EXPECT_EQ(words.size(), 2u);
    words.clear();
    EXPECT_TRUE(words.empty());
    EXPECT_EQ(words.local(exists), "xxx");
    EXPECT_FALSE(exists);

    EXPECT_EQ(tbb::enumerable_thread_specific<int>(5).local(), 5);
    EXPECT_EQ(tbb::enumerable_thread_specific<int>([] { return 6; }).local(), 6);
    tbb::combinable<int> none([] { return 9; });
    EXPECT_EQ(none.combine(std::plus<>()), 9);  // without values the result is a new one
    none.local() += 1;
    EXPECT_EQ(none.combine(std::plus<>()), 10);
  });
}

TEST_P(TbbTasks, CallsOnce) {
  run([] {
    tbb::collaborative_once_flag once;
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 100, [&](int) { tbb::collaborative_call_once(once, [&] { ++calls; }); });
    EXPECT_EQ(calls, 1);
  });
}

TEST(TbbTickCount, NeverGoesBack) {
  const tbb::tick_count first = tbb::tick_count::now();
  const tbb::tick_count second = tbb::tick_count::now();
  EXPECT_GE((second - first).seconds(), 0);
  EXPECT_EQ((tbb::tick_count::interval_t(2) + tbb::tick_count::interval_t(1)).seconds(), 3);
}

}  // namespace
