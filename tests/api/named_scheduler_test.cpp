// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler::spawn(): jobs of a named scheduler, from every kind of thread, without a wait.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::test::code_of;

class NamedSpawn : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(NamedSpawn);

TEST_P(NamedSpawn, RunsEachJobOnceOnAWorkerOfThatScheduler) {
  jobs::Scheduler other({.worker_count = 3});
  int runs[1000] = {};  // not atomic: the wait orders them
  std::atomic<int> astray{0};
  run([&] {
    jobs::Counter done;
    for (int& count : runs) {
      other.spawn(done, [&astray, &count] {
        ++count;
        if (jobs::worker_count() != 3) ++astray;
      });
    }
    done.wait();
  });
  for (const int count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(astray, 0);
}

TEST_P(NamedSpawn, OntoItselfSpawnsLikeTheFreeFunction) {
  if (is_external()) GTEST_SKIP() << "the thread is no worker";
  run([&] {
    jobs::Counter done;
    std::array<int, 100> runs{};
    for (int& count : runs) scheduler().spawn(done, [&count] { ++count; });
    done.wait();
    for (const int count : runs) EXPECT_EQ(count, 1);
  });
}

TEST_P(NamedSpawn, TheSchedulerWaitsForDetachedJobs) {
  std::atomic<int> ran{0};
  {
    jobs::Scheduler other({.worker_count = 2});
    run([&] {
      for (int i = 0; i < 100; ++i) other.spawn([&] { ++ran; });
    });
  }
  EXPECT_EQ(ran, 100);
}

TEST_P(NamedSpawn, PassesExceptionsToTheCounterAndToTheHandlerOfThatScheduler) {
  std::atomic<int> unhandled{0};
  {
    jobs::Scheduler other(
        {.worker_count = 1, .on_unhandled = [&](const std::exception_ptr&) { ++unhandled; }});
    run([&] {
      jobs::Counter done;
      other.spawn(done, [] { throw std::runtime_error("in a job"); });
      EXPECT_THROW(done.wait(), std::runtime_error);
      other.spawn([] { throw std::runtime_error("detached"); });
    });
  }
  EXPECT_EQ(unhandled, 1);
}

TEST_P(NamedSpawn, TakesThePlaceAndThePriorityOfThatScheduler) {
  jobs::Scheduler other({.worker_count = 4});
  run([&] {
    jobs::Counter done;
    std::atomic<int> astray{0};
    for (unsigned i = 0; i < 400; ++i) {
      other.spawn(done,
                  [&astray, i] {
                    if (jobs::worker_index() != std::optional(i % 4)) ++astray;
                  },
                  {.on = jobs::worker(i % 4),
                   .priority = i % 3 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    }
    EXPECT_EQ(code_of([&] { other.spawn(done, [] {}, {.on = jobs::worker(4)}); }),
              jobs::ErrorCode::kBadArgument);
    EXPECT_EQ(code_of([&] { other.spawn([] {}, {.on = jobs::main_thread}); }),
              jobs::ErrorCode::kBadArgument);
    done.wait();
    EXPECT_EQ(astray, 0);
  });
}

// A job of a scheduler that has ended must not lie in the memory of that scheduler.
TEST(NamedSpawnLife, AJobOutlivesTheSchedulerThatSpawnedIt) {
  jobs::Scheduler other({.worker_count = 1});
  jobs::Event open;
  std::atomic<int> sum{0};
  jobs::Counter done;
  other.spawn(done, [&] { open.wait(); });
  other.spawn(done, [&] { open.wait(); });
  {
    jobs::Scheduler first({.worker_count = 1});
    first.run([&] {
      for (int i = 1; i <= 100; ++i)
        other.spawn(done, [&sum, value = std::make_unique<int>(i)] { sum += *value; },
                    {.priority = i % 2 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    });
    EXPECT_EQ(first.stats().slab_bytes, 0u) << "the jobs lie on the heap";
  }
  open.signal();
  done.wait();
  EXPECT_EQ(sum, 5050);
}

TEST(NamedSpawnLife, IsRefusedAfterTheShutdownAndChangesNothing) {
  jobs::Scheduler other({.worker_count = 1});
  other.shutdown();
  jobs::Counter done;
  auto capture = std::make_shared<int>(1);
  EXPECT_EQ(code_of([&] { other.spawn(done, [capture] {}); }), jobs::ErrorCode::kStopped);
  EXPECT_EQ(code_of([&] { other.spawn([capture] {}); }), jobs::ErrorCode::kStopped);
  EXPECT_EQ(code_of([&] { other.spawn([capture] {}, {.priority = jobs::Priority::kCritical}); }),
            jobs::ErrorCode::kStopped);
  EXPECT_EQ(code_of([&] { other.spawn([capture] {}, {.on = jobs::worker(0)}); }),
            jobs::ErrorCode::kStopped);
  EXPECT_EQ(capture.use_count(), 1) << "the closures are gone";
  done.wait();
}

TEST(NamedSpawnLife, ManyThreadsFeedOneScheduler) {
  std::atomic<int> ran{0};
  {
    jobs::Scheduler other({.worker_count = 2});
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) other.spawn([&] { ++ran; });
      });
    }
  }
  EXPECT_EQ(ran, 4000);
}

}  // namespace
