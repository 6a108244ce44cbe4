// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The reserved slot of an arena: in a program without indices of threads, a thread outside of all
// arenas runs the function of execute() itself.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "tests/interop/tbb_threads.hpp"
#include "tests/support/in_time.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::is_true_in_time;
using jobs::test::TbbThreads;
using tbb::this_task_arena::max_concurrency;

std::thread::id here() { return std::this_thread::get_id(); }

TEST(TbbSeats, AreForTheCallerOfExecute) {
  tbb::task_arena arena(2);
  const std::thread::id caller = here();
  for (int round = 0; round < 100; ++round) EXPECT_EQ(arena.execute(here), caller);
}

TEST(TbbSeats, HaveTheNumbersOfTheArena) {
  tbb::task_arena arena(3);
  const int outside = max_concurrency();
  arena.execute([] {
    EXPECT_EQ(max_concurrency(), 3);
    EXPECT_EQ(tbb::task_arena(tbb::attach()).max_concurrency(), 3);
    std::atomic<int> differences{0};
    tbb::parallel_for(0, 100, [&](int) { differences += max_concurrency() != 3; });
    EXPECT_EQ(differences, 0);
  });
  EXPECT_EQ(max_concurrency(), outside);
}

TEST(TbbSeats, CountAsThreadsOfTheArena) {
  tbb::task_arena arena(2);
  for (int round = 0; round < 20; ++round) {
    TbbThreads threads;
    arena.execute([&] {
      tbb::task_group group;
      for (int i = 0; i < 3; ++i) group.run([&] { threads.enter(); });
      tbb::parallel_for(0, 20, [&](int) { threads.enter(); });
      group.wait();
    });
    EXPECT_LE(threads.count(), 2u);
    EXPECT_TRUE(threads.has_caller());
  }
}

TEST(TbbSeats, AreBesideWorkers) {
  tbb::task_arena arena(2);
  EXPECT_TRUE(is_true_in_time([&] {
    TbbThreads threads;
    arena.execute([&] { tbb::parallel_for(0, 20, [&](int) { threads.enter(1ms); }); });
    return threads.count() == 2;
  }));
}

// The caller of another arena is none of its threads.
TEST(TbbSeats, AreEmptyWithoutACaller) {
  tbb::task_arena arena(2);
  tbb::task_group group;
  TbbThreads threads;
  arena.execute([&] {
    for (int i = 0; i < 20; ++i) group.run([&] { threads.enter(); });
  });
  EXPECT_TRUE(is_true_in_time([&] { return threads.calls() == 20; }));
  arena.execute([&] { group.wait(); });
  EXPECT_EQ(threads.count(), 1u);
  EXPECT_FALSE(threads.has_caller());
}

TEST(TbbSeats, AreForOneCallerAtATime) {
  tbb::task_arena arena(2);
  TbbThreads threads;
  std::vector<std::thread> callers;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        sum += arena.execute([&] {
          threads.enter(10us);
          std::atomic<int> own{0};
          tbb::parallel_for(0, 10, [&](int) { ++own; });
          return own.load();
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 2000);
  EXPECT_LE(threads.most(), 2);
}

TEST(TbbSeats, MayBeNested) {
  tbb::task_arena outer(2);
  tbb::task_arena inner(3);
  const std::thread::id caller = here();
  outer.execute([&] {
    EXPECT_EQ(outer.execute(here), caller);
    EXPECT_EQ(inner.execute(here), caller);
    EXPECT_EQ(inner.execute([] { return max_concurrency(); }), 3);
    EXPECT_EQ(tbb::task_arena().execute([] { return max_concurrency(); }),
              tbb::info::default_concurrency());
    EXPECT_EQ(max_concurrency(), 2);
  });
}

TEST(TbbSeats, AreFreeAfterAnException) {
  tbb::task_arena arena(2);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW(arena.execute([] { throw std::runtime_error("function"); }), std::runtime_error);
    EXPECT_THROW(arena.execute([] {
      tbb::parallel_for(0, 10, [](int i) {
        if (i == 5) throw std::runtime_error("five");
      });
    }),
                 std::runtime_error);
  }
  EXPECT_EQ(arena.execute(here), here());
}

TEST(TbbSeats, AreMissingInAnArenaOfWorkers) {
  tbb::task_arena workers(2, 0);
  EXPECT_NE(workers.execute(here), here());
  tbb::task_arena one(1);
  EXPECT_NE(one.execute(here), here());
}

// A job waits for the function without holding its worker.
TEST(TbbSeats, AreNotForWorkers) {
  tbb::task_arena outer(2);
  tbb::task_arena inner(2);
  inner.initialize();
  std::atomic<bool> is_equal{false};
  outer.enqueue([&] { is_equal = inner.execute([] { return max_concurrency(); }) == 2; });
  EXPECT_TRUE(is_true_in_time([&] { return is_equal.load(); }));
}

TEST(TbbSeats, CountUnderALimit) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(4);
  for (int round = 0; round < 20; ++round) {
    TbbThreads threads;
    arena.execute([&] { tbb::parallel_for(0, 20, [&](int) { threads.enter(); }); });
    EXPECT_LE(threads.count(), 2u);
  }
}

TEST(TbbSeats, AreSeenByAnObserver) {
  struct Observer : tbb::task_scheduler_observer {
    explicit Observer(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
    ~Observer() override { observe(false); }
    void on_scheduler_entry(bool is_worker) override { (is_worker ? workers : callers)++; }
    void on_scheduler_exit(bool is_worker) override { left += !is_worker; }

    std::atomic<int> workers{0};
    std::atomic<int> callers{0};
    std::atomic<int> left{0};
  };
  tbb::task_arena arena(2);
  const Observer observer(arena);
  for (int i = 1; i <= 3; ++i) {
    arena.execute([&] {
      EXPECT_EQ(observer.callers, i);
      EXPECT_EQ(observer.left, i - 1);
      arena.execute([] {});
    });
    EXPECT_EQ(observer.callers, i);
    EXPECT_EQ(observer.left, i);
  }
  EXPECT_EQ(observer.workers, 0);
}

}  // namespace
