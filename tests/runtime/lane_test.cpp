// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lane: the jobs that a thief takes at a time from the worker context of another worker.
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
struct Lanes {
  explicit Lanes(std::size_t count) : jobs(count) {
    for (Nothing& job : jobs) victim.push(job);
    victim.leave_to_others();
  }

  Idle idle{nullptr, 0};
  Lane victim{this_context()->shared(), idle, nullptr, true};
  Lane thief{this_context()->shared(), idle, nullptr, true};
  std::vector<Nothing> jobs;
};

template <class Check>
void with_lanes(std::size_t count, Check&& check) {
  Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  scheduler.run([&] {
    Lanes lanes(count);
    check(lanes);
  });
}

TEST(Lane, GivesTheOldestToAThief) {
  with_lanes(10, [](Lanes& lanes) {
    EXPECT_EQ(lanes.thief.take_from(lanes.victim, 3), 3u);
    for (const std::size_t expected : {2u, 1u, 0u}) EXPECT_EQ(lanes.thief.pop(), &lanes.jobs[expected]);
    EXPECT_EQ(lanes.thief.pop(), nullptr);
    for (std::size_t i = 10; i-- > 3;) EXPECT_EQ(lanes.victim.pop(), &lanes.jobs[i]);
    EXPECT_EQ(lanes.victim.pop(), nullptr);
  });
}

TEST(Lane, KeepsHalfOfWhatItHas) {
  for (const std::size_t count : {0u, 1u, 2u, 5u}) {
    with_lanes(count, [count](Lanes& lanes) {
      EXPECT_EQ(lanes.thief.take_from(lanes.victim, 4), count / 2);
      std::size_t left = 0;
      while (lanes.victim.pop() != nullptr) ++left;
      EXPECT_EQ(left, count - count / 2);
    });
  }
}

TEST(Lane, GivesNothingWhileItIsHidden) {
  Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  if (!light_fence_is_free()) GTEST_SKIP() << "needs membarrier";
  scheduler.run([] {
    Lanes lanes(0);
    std::vector<Nothing> hidden(4);
    Lane other(this_context()->shared(), lanes.idle, nullptr, true);
    for (Nothing& job : hidden) other.push(job);
    EXPECT_EQ(lanes.thief.take_from(other, 2), 0u);
    for (std::size_t i = 4; i-- > 0;) EXPECT_EQ(other.pop(), &hidden[i]);
  });
}

}  // namespace
}  // namespace jobs::detail
