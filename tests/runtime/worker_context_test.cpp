// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerContext: the jobs that a thief takes at a time from the worker context of another worker.
#include "jobs/runtime/worker/worker_context.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::detail {
namespace {

struct Nothing : Job {
  Nothing() noexcept : Job([](Job&) {}) {}
};

// Two worker contexts that belong to no worker.
struct Contexts {
  explicit Contexts(std::size_t count) : jobs(count) {
    for (Nothing& job : jobs) victim.push(job);
    victim.force_publish();
  }

  Idle idle{nullptr, 0};
  WorkerContext victim{this_context()->shared(), idle, nullptr, true};
  WorkerContext thief{this_context()->shared(), idle, nullptr, true};
  std::vector<Nothing> jobs;
};

template <class Check>
void with_lanes(std::size_t count, Check&& check) {
  Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  scheduler.run([&] {
    Contexts contexts(count);
    check(contexts);
  });
}

TEST(WorkerContext, GivesTheOldestToAThief) {
  with_lanes(10, [](Contexts& contexts) {
    EXPECT_EQ(contexts.thief.take_from(contexts.victim, 3), 3u);
    for (const std::size_t expected : {2u, 1u, 0u})
      EXPECT_EQ(contexts.thief.pop(), &contexts.jobs[expected]);
    EXPECT_EQ(contexts.thief.pop(), nullptr);
    for (std::size_t i = 10; i-- > 3;) EXPECT_EQ(contexts.victim.pop(), &contexts.jobs[i]);
    EXPECT_EQ(contexts.victim.pop(), nullptr);
  });
}

TEST(WorkerContext, KeepsHalfOfItsJobs) {
  for (const std::size_t count : {0u, 1u, 2u, 5u}) {
    with_lanes(count, [count](Contexts& contexts) {
      EXPECT_EQ(contexts.thief.take_from(contexts.victim, 4), count / 2);
      std::size_t left = 0;
      while (contexts.victim.pop() != nullptr) ++left;
      EXPECT_EQ(left, count - count / 2);
    });
  }
}

TEST(WorkerContext, GivesNothingWhileItIsPrivate) {
  Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  if (!light_fence_is_free()) GTEST_SKIP() << "needs membarrier";
  scheduler.run([] {
    Contexts contexts(0);
    std::vector<Nothing> private_jobs(4);
    WorkerContext other(this_context()->shared(), contexts.idle, nullptr, true);
    for (Nothing& job : private_jobs) other.push(job);
    EXPECT_EQ(contexts.thief.take_from(other, 2), 0u);
    for (std::size_t i = 4; i-- > 0;) EXPECT_EQ(other.pop(), &private_jobs[i]);
  });
}

}  // namespace
}  // namespace jobs::detail
