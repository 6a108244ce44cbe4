// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface on the current scheduler: in jobs with 1, 2, 4 and 16 workers, on a bound thread
// and on an external thread.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/c/jobs.h"
#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/report.hpp"
#include "tests/c/c_objects.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::test::loop;
using jobs::test::make_counter;
using jobs::test::run_closure;
using jobs::test::spawn_closure;
using jobs::test::spawn_counted;

class CCurrent : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(CCurrent);

TEST_P(CCurrent, RunsEachSpawnedJobOnce) {
  run([] {
    const auto counter = make_counter();
    std::atomic<int> calls{0};
    auto job = [&] { ++calls; };
    for (int i = 0; i < 200; ++i) ASSERT_EQ(spawn_counted(nullptr, job, counter), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
    EXPECT_EQ(calls, 200);
  });
}

TEST_P(CCurrent, SpawnsWithEveryPriority) {
  run([] {
    const auto counter = make_counter();
    std::atomic<int> calls{0};
    auto job = [&] { ++calls; };
    for (int priority = JOBS_PRIORITY_BACKGROUND; priority <= JOBS_PRIORITY_CRITICAL; ++priority) {
      jobs_spawn_options options = jobs_spawn_options_init();
      options.counter = counter.get();
      options.priority = priority;
      ASSERT_EQ(spawn_closure(nullptr, job, options), JOBS_OK);
    }
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
    EXPECT_EQ(calls, 5);
  });
}

TEST_P(CCurrent, RunsAJobOnTheNamedWorker) {
  run([] {
    const auto counter = make_counter();
    for (unsigned worker = 0; worker < jobs_worker_count(nullptr); ++worker) {
      int32_t index = -1;
      auto job = [&index] { index = jobs_worker_index(); };
      jobs_spawn_options options = jobs_spawn_options_init();
      options.counter = counter.get();
      options.place = JOBS_PLACE_WORKER;
      options.worker = worker;
      ASSERT_EQ(spawn_closure(nullptr, job, options), JOBS_OK);
      ASSERT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
      EXPECT_EQ(index, static_cast<int32_t>(worker));
    }
  });
}

TEST_P(CCurrent, GivesAJobItsName) {
  run([] {
    const auto counter = make_counter();
    std::string name;
    std::string given = "loader";
    auto job = [&name] { name = jobs::this_fiber::ref().name(); };
    jobs_spawn_options options = jobs_spawn_options_init();
    options.counter = counter.get();
    options.name = given.c_str();
    ASSERT_EQ(spawn_closure(nullptr, job, options), JOBS_OK);
    given = "overwritten";
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
    EXPECT_EQ(name, "loader");
  });
}

TEST_P(CCurrent, LoopsCallEachIterationOnce) {
  run([] {
    for (const std::size_t grain : {0u, 1u, 7u, 5000u}) {
      std::vector<std::atomic<int>> calls(2000);
      EXPECT_EQ(loop(nullptr, -1000, 1000, grain,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         ++calls[static_cast<std::size_t>(i + 1000)];
                     }),
                JOBS_OK);
      for (const auto& count : calls) ASSERT_EQ(count, 1) << grain;
    }
  });
}

TEST_P(CCurrent, LoopsBeginTheirPartsAtMultiplesOfTheGrain) {
  run([] {
    std::atomic<int> wrong{0};
    EXPECT_EQ(loop(nullptr, 5, 1000, 100,
                   [&](int64_t begin, int64_t end) {
                     if ((begin - 5) % 100 != 0 || (end - begin != 100 && end != 1000)) ++wrong;
                   }),
              JOBS_OK);
    EXPECT_EQ(wrong, 0);
  });
}

TEST_P(CCurrent, LoopsMayBeNested) {
  run([] {
    std::atomic<int64_t> sum{0};
    const auto inner = [&](int64_t begin, int64_t end) { sum += end - begin; };
    EXPECT_EQ(loop(nullptr, 0, 20, 1,
                   [&](int64_t, int64_t) { EXPECT_EQ(loop(nullptr, 0, 100, 0, inner), JOBS_OK); }),
              JOBS_OK);
    EXPECT_EQ(sum, 2000);
  });
}

TEST_P(CCurrent, WaitsForJobsThatAreAnnouncedByHand) {
  run([] {
    const auto counter = make_counter(1);
    ASSERT_EQ(jobs_counter_add(counter.get(), 2), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait_for(counter.get(), 0), JOBS_TIMEOUT);
    const auto job_counter = make_counter();
    auto job = [&] { EXPECT_EQ(jobs_counter_done(counter.get()), JOBS_OK); };
    for (int i = 0; i < 3; ++i) ASSERT_EQ(spawn_counted(nullptr, job, job_counter), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait(job_counter.get()), JOBS_OK);
  });
}

TEST_P(CCurrent, WaitsForAnEventWithADeadline) {
  run([] {
    jobs_event* event = nullptr;
    ASSERT_EQ(jobs_event_create(true, &event), JOBS_OK);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(jobs_event_wait_for(event, 3'000'000), JOBS_TIMEOUT);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(3));
    EXPECT_EQ(jobs_event_signal(event), JOBS_OK);
    EXPECT_EQ(jobs_event_wait_for(event, JOBS_FOREVER), JOBS_OK);
    EXPECT_EQ(jobs_event_wait_for(event, 0), JOBS_TIMEOUT) << "a signal releases one wait";
    jobs_event_destroy(event);
  });
}

TEST_P(CCurrent, LocksAMutex) {
  run([] {
    jobs_mutex* mutex = nullptr;
    ASSERT_EQ(jobs_mutex_create(&mutex), JOBS_OK);
    int guarded = 0;
    const auto counter = make_counter();
    auto job = [&] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(jobs_mutex_lock(mutex), JOBS_OK);
        ++guarded;
        EXPECT_EQ(jobs_yield(), JOBS_OK);
        EXPECT_EQ(jobs_mutex_unlock(mutex), JOBS_OK);
      }
    };
    for (int i = 0; i < 8; ++i) ASSERT_EQ(spawn_counted(nullptr, job, counter), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK);
    EXPECT_EQ(guarded, 400);
    ASSERT_EQ(jobs_mutex_lock(mutex), JOBS_OK);
    EXPECT_EQ(jobs_mutex_destroy(mutex), JOBS_BUSY);
    EXPECT_EQ(jobs_mutex_unlock(mutex), JOBS_OK);
    EXPECT_EQ(jobs_mutex_destroy(mutex), JOBS_OK);
  });
}

TEST_P(CCurrent, TurnsExceptionsOfCallbacksIntoAResult) {
  run([] {
    const auto counter = make_counter();
    // An Error of the library, too, is an error of the callback.
    auto job = [] { throw jobs::Error(jobs::ErrorCode::kStopped, "of the callback"); };
    ASSERT_EQ(spawn_counted(nullptr, job, counter), JOBS_OK);
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_ERROR_CALLBACK);
    EXPECT_EQ(jobs_counter_wait(counter.get()), JOBS_OK) << "one wait receives the failure";

    jobs_spawn_options options = jobs_spawn_options_init();
    options.counter = counter.get();
    options.name = "throws";
    ASSERT_EQ(spawn_closure(nullptr, job, options), JOBS_OK);
    while (true) {
      const jobs_status status = jobs_counter_wait_for(counter.get(), 1'000'000'000);
      if (status == JOBS_TIMEOUT) continue;
      EXPECT_EQ(status, JOBS_ERROR_CALLBACK);
      break;
    }

    EXPECT_EQ(run_closure(nullptr, [] { throw 1; }), JOBS_ERROR_CALLBACK);
    EXPECT_EQ(loop(nullptr, 0, 100, 1,
                   [](int64_t begin, int64_t) {
                     if (begin == 50) throw std::runtime_error("body");
                   }),
              JOBS_ERROR_CALLBACK);

    jobs_counter* unread = nullptr;
    ASSERT_EQ(jobs_counter_create(0, &unread), JOBS_OK);
    options = jobs_spawn_options_init();
    options.counter = unread;
    ASSERT_EQ(spawn_closure(nullptr, job, options), JOBS_OK);
    jobs_status status = JOBS_BUSY;
    while (status == JOBS_BUSY) {
      EXPECT_EQ(jobs_yield(), JOBS_OK);
      status = jobs_counter_destroy(unread);
    }
    EXPECT_EQ(status, JOBS_OK) << "a failure that no wait has received is dropped";
  });
}

TEST_P(CCurrent, ReportsACancelledWait) {
  run([] {
    std::atomic<jobs_status> status{JOBS_OK};
    jobs::Fiber<void> fiber([&] {
      const auto counter = make_counter(1);
      status = jobs_counter_wait(counter.get());
      EXPECT_EQ(jobs_counter_done(counter.get()), JOBS_OK);
    });
    fiber.request_stop();
    fiber.join();
    EXPECT_EQ(status, JOBS_ERROR_CANCELLED);
  });
}

}  // namespace
