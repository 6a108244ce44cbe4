// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks for physics engines: enqueue and finish, with thread indices that no two parts share at a
// time.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "jobs/c/jobs.h"
#include "tests/c/c_objects.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::test::make_scheduler;

// Counts the calls of each item, and the parts that share an index with a running part.
struct Engine {
  Engine(int32_t items, uint32_t threads) : calls(static_cast<std::size_t>(items)), busy(threads) {}

  std::vector<std::atomic<int>> calls;
  std::vector<std::atomic<bool>> busy;
  std::atomic<int> shared{0};
  std::atomic<int> small{0};
  int32_t min_range = 1;

  static void run(int32_t begin, int32_t end, uint32_t thread, void* context) {
    auto& engine = *static_cast<Engine*>(context);
    if (thread >= engine.busy.size() || engine.busy[thread].exchange(true)) {
      ++engine.shared;
      return;
    }
    if (end - begin < engine.min_range && end != static_cast<int32_t>(engine.calls.size()))
      ++engine.small;
    for (int32_t i = begin; i < end; ++i) ++engine.calls[static_cast<std::size_t>(i)];
    engine.busy[thread] = false;
  }

  void step(int32_t range, void* user) {
    min_range = range;
    const auto count = static_cast<int32_t>(calls.size());
    std::vector<void*> tasks;
    for (int i = 0; i < 3; ++i)
      tasks.push_back(jobs_enqueue_task(&Engine::run, count, range, this, user));
    for (void* const task : tasks) jobs_finish_task(task, user);
  }
  void check(int steps) const {
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(small, 0);
    for (const auto& count : calls) ASSERT_EQ(count, 3 * steps);
  }
};

class CTasks : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(CTasks);

TEST_P(CTasks, RunEachItemOnceWithIndicesOfTheirOwn) {
  run([] {
    Engine engine(3000, jobs_task_thread_count(nullptr));
    for (const int32_t range : {1, 64, 5000}) engine.step(range, nullptr);
    engine.check(3);
  });
}

TEST_P(CTasks, RunOnANamedScheduler) {
  run([] {
    const auto scheduler = make_scheduler(3);
    Engine engine(3000, jobs_task_thread_count(scheduler.get()));
    for (int i = 0; i < 10; ++i) engine.step(100, scheduler.get());
    engine.check(10);
  });
}

TEST(CTasksWithout, AStoppedSchedulerRunsTasksInPlace) {
  const auto scheduler = make_scheduler(2);
  ASSERT_EQ(jobs_scheduler_shutdown(scheduler.get(), JOBS_FOREVER), JOBS_OK);
  Engine engine(100, jobs_task_thread_count(scheduler.get()));
  EXPECT_EQ(jobs_enqueue_task(&Engine::run, 100, 1, &engine, scheduler.get()), nullptr);
  for (const auto& count : engine.calls) EXPECT_EQ(count, 1);
}

TEST(CTasksWithout, NothingToDoHasNoHandle) {
  Engine engine(1, 1);
  EXPECT_EQ(jobs_enqueue_task(nullptr, 10, 1, &engine, nullptr), nullptr);
  EXPECT_EQ(jobs_enqueue_task(&Engine::run, 0, 1, &engine, nullptr), nullptr);
  EXPECT_EQ(jobs_enqueue_task(&Engine::run, -5, 1, &engine, nullptr), nullptr);
  EXPECT_EQ(engine.calls[0], 0);
  jobs_finish_task(nullptr, nullptr);
}

TEST(CTasksDeathTest, AnExceptionEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        void* const task = jobs_enqueue_task([](int32_t, int32_t, uint32_t, void*) { throw 1; }, 1,
                                             1, nullptr, nullptr);
        jobs_finish_task(task, nullptr);
      },
      "terminate");
}

}  // namespace
