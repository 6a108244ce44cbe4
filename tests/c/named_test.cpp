// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Schedulers of the C interface with 1, 2, 4 and 16 workers, used by external threads and by jobs
// of other schedulers.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "jobs/c/jobs.h"
#include "tests/c/c_objects.hpp"
#include "tests/support/in_child.hpp"

namespace {

using jobs::test::loop;
using jobs::test::make_counter;
using jobs::test::make_scheduler;
using jobs::test::run_closure;
using jobs::test::spawn_closure;
using jobs::test::spawn_counted;

class CNamed : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, CNamed, testing::Values(1U, 2U, 4U, 16U));

TEST_P(CNamed, RunsJobsOfAnExternalThreadOnItsWorkers) {
  const auto scheduler = make_scheduler(GetParam());
  EXPECT_EQ(jobs_worker_count(scheduler.get()), GetParam());
  EXPECT_EQ(jobs_worker_index(), -1);
  const auto counter = make_counter();
  std::atomic<int> calls{0};
  std::atomic<int> strangers{0};
  auto job = [&] {
    ++calls;
    const int32_t index = jobs_worker_index();
    if (index < 0 || index >= static_cast<int32_t>(GetParam())) ++strangers;
    if (jobs_worker_count(nullptr) != GetParam()) ++strangers;
  };
  for (int i = 0; i < 100; ++i) ASSERT_EQ(spawn_counted(scheduler.get(), job, counter), JOBS_OK);
  EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = counter.get();
  options.name = "named";
  ASSERT_EQ(spawn_closure(scheduler.get(), job, options), JOBS_OK);
  EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
  EXPECT_EQ(run_closure(scheduler.get(), job), JOBS_OK);
  EXPECT_EQ(calls, 102);
  EXPECT_EQ(strangers, 0);
}

TEST_P(CNamed, RunsLoopsOfSeveralExternalThreads) {
  const auto scheduler = make_scheduler(GetParam());
  std::atomic<int64_t> sum{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto inner = [&](int64_t begin, int64_t end) { sum += end - begin; };
      EXPECT_EQ(loop(scheduler.get(), 0, 50, 1,
                     [&](int64_t, int64_t) {
                       EXPECT_EQ(loop(scheduler.get(), 0, 100, 0, inner), JOBS_OK);
                     }),
                JOBS_OK);
    });
  }
  threads.clear();
  EXPECT_EQ(sum, 4 * 50 * 100);
}

TEST_P(CNamed, IsUsedByJobsOfAnotherScheduler) {
  const auto scheduler = make_scheduler(GetParam());
  const auto other = make_scheduler(2);
  std::atomic<int64_t> sum{0};
  const auto use = [&] {
    EXPECT_EQ(loop(scheduler.get(), 0, 1000, 10,
                   [&](int64_t begin, int64_t end) {
                     if (jobs_worker_count(nullptr) == GetParam()) sum += end - begin;
                   }),
              JOBS_OK);
  };
  EXPECT_EQ(run_closure(other.get(), use), JOBS_OK);
  EXPECT_EQ(sum, 1000);
}

TEST_P(CNamed, RefusesWorkAfterItsShutdown) {
  const auto scheduler = make_scheduler(GetParam());
  std::atomic<bool> has_run{false};
  auto job = [&] { has_run = true; };
  ASSERT_EQ(spawn_closure(scheduler.get(), job, jobs_spawn_options_init()), JOBS_OK);
  EXPECT_EQ(jobs_scheduler_shutdown(scheduler.get(), JOBS_FOREVER), JOBS_OK);
  EXPECT_TRUE(has_run);
  const auto counter = make_counter();
  EXPECT_EQ(spawn_counted(scheduler.get(), job, counter), JOBS_ERROR_STOPPED);
  jobs_spawn_options named = jobs_spawn_options_init();
  named.name = "named";
  named.counter = counter.get();
  EXPECT_EQ(spawn_closure(scheduler.get(), job, named), JOBS_ERROR_STOPPED);
  EXPECT_EQ(jobs_counter_wait_for(counter.get(), 0), JOBS_OK) << "the counter is unchanged";
  EXPECT_EQ(run_closure(scheduler.get(), job), JOBS_ERROR_STOPPED);
  EXPECT_EQ(loop(scheduler.get(), 0, 10, 0, [](int64_t, int64_t) {}), JOBS_ERROR_STOPPED);
  EXPECT_EQ(jobs_scheduler_shutdown(scheduler.get(), 0), JOBS_OK);
}

TEST_P(CNamed, LeavesAShutdownUnfinishedAfterTheDeadline) {
  const auto scheduler = make_scheduler(GetParam());
  jobs_event* event = nullptr;
  ASSERT_EQ(jobs_event_create(false, &event), JOBS_OK);
  auto job = [&] { EXPECT_EQ(jobs_event_wait_for(event, JOBS_FOREVER), JOBS_OK); };
  ASSERT_EQ(spawn_closure(scheduler.get(), job, jobs_spawn_options_init()), JOBS_OK);
  EXPECT_EQ(jobs_scheduler_shutdown(scheduler.get(), 2'000'000), JOBS_TIMEOUT);
  EXPECT_EQ(jobs_event_signal(event), JOBS_OK);
  EXPECT_EQ(jobs_scheduler_shutdown(scheduler.get(), 60'000'000'000), JOBS_OK);
  jobs_event_destroy(event);
}

TEST_P(CNamed, IsNotShutDownByItsOwnJobs) {
  const auto scheduler = make_scheduler(GetParam());
  jobs_status shutdown = JOBS_OK;
  jobs_status destroy = JOBS_OK;
  const auto job = [&] {
    shutdown = jobs_scheduler_shutdown(scheduler.get(), JOBS_FOREVER);
    destroy = jobs_scheduler_destroy(scheduler.get());
  };
  EXPECT_EQ(run_closure(scheduler.get(), job), JOBS_OK);
  EXPECT_EQ(shutdown, JOBS_ERROR_WRONG_THREAD);
  EXPECT_EQ(destroy, JOBS_ERROR_WRONG_THREAD);
  // A loop of an external thread.
  EXPECT_EQ(loop(scheduler.get(), 0, 1, 1,
                 [&](int64_t, int64_t) { shutdown = jobs_scheduler_shutdown(scheduler.get(), 0); }),
            JOBS_OK);
  EXPECT_EQ(shutdown, JOBS_ERROR_WRONG_THREAD);
}

TEST_P(CNamed, CallsItsHooks) {
  struct Seen {
    std::mutex mutex;
    std::set<uint32_t> started, stopped;
    std::string text;
    std::atomic<int> switches{0};
  } seen;
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.worker_count = GetParam();
  options.user = &seen;
  options.on_worker_start = [](void* user, uint32_t worker) {
    auto& its = *static_cast<Seen*>(user);
    const std::scoped_lock lock(its.mutex);
    its.started.insert(worker);
  };
  options.on_worker_stop = [](void* user, uint32_t worker) {
    auto& its = *static_cast<Seen*>(user);
    const std::scoped_lock lock(its.mutex);
    its.stopped.insert(worker);
  };
  options.on_unhandled = [](void* user, const char* text) {
    auto& its = *static_cast<Seen*>(user);
    const std::scoped_lock lock(its.mutex);
    its.text += text;
  };
  options.on_suspend = [](void* user, uint64_t) { ++static_cast<Seen*>(user)->switches; };
  options.on_resume = [](void* user, uint64_t) { --static_cast<Seen*>(user)->switches; };
  jobs_scheduler* scheduler = nullptr;
  ASSERT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_OK);
  auto job = [] { throw std::runtime_error("lost"); };
  ASSERT_EQ(spawn_closure(scheduler, job, jobs_spawn_options_init()), JOBS_OK);
  jobs_spawn_options named = jobs_spawn_options_init();
  named.name = "named";
  ASSERT_EQ(spawn_closure(scheduler, job, named), JOBS_OK);
  // A thread starts when its worker is needed.
  auto nothing = [] {};
  for (unsigned worker = 0; worker < GetParam(); ++worker) {
    jobs_spawn_options there = jobs_spawn_options_init();
    there.place = JOBS_PLACE_WORKER;
    there.worker = worker;
    ASSERT_EQ(spawn_closure(scheduler, nothing, there), JOBS_OK);
  }
  EXPECT_EQ(jobs_scheduler_destroy(scheduler), JOBS_OK);
  EXPECT_EQ(seen.started.size(), GetParam());
  EXPECT_EQ(seen.stopped.size(), GetParam());
  EXPECT_EQ(seen.text, "lostlost");
}

TEST_P(CNamed, ShowsItsFiguresAsJson) {
  const auto scheduler = make_scheduler(GetParam());
  EXPECT_EQ(run_closure(scheduler.get(), [] {}), JOBS_OK);
  std::size_t length = 0;
  ASSERT_EQ(jobs_scheduler_stats_json(scheduler.get(), nullptr, 0, &length), JOBS_OK);
  std::string text(length + 100, 'x');
  ASSERT_EQ(jobs_scheduler_stats_json(scheduler.get(), text.data(), text.size(), &length), JOBS_OK);
  text.resize(length);
  EXPECT_TRUE(text.starts_with("{\"jobs\":") && text.ends_with("}")) << text;
  EXPECT_NE(text.find("\"active_workers\":" + std::to_string(GetParam()) + ","), std::string::npos);
  EXPECT_EQ(jobs_scheduler_stats_json(scheduler.get(), text.data(), length, nullptr),
            JOBS_ERROR_ARGUMENT)
      << "no room for the zero byte";
  EXPECT_EQ(jobs_scheduler_stats_json(scheduler.get(), nullptr, 10, nullptr), JOBS_ERROR_ARGUMENT);
}

TEST_P(CNamed, BelongsToTheParentProcess) {
  const auto scheduler = make_scheduler(GetParam());
  const int result = jobs::test::in_child([&] {
    auto job = [] {};
    return spawn_closure(scheduler.get(), job, jobs_spawn_options_init()) == JOBS_ERROR_FORKED ? 0
                                                                                               : 1;
  });
  EXPECT_EQ(result, 0);
}

}  // namespace
