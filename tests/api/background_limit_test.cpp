// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerOptions::max_background_workers and JOBS_BACKGROUND_WORKERS: the number of workers that
// run background work at a time, and the work that remains free. SchedulerOptions::
// max_background_share: the same in time; tests/runtime/background_budget_test.cpp has a clock. No
// test waits for a Counter of background jobs from a normal job, because such a wait lifts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/priority_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::ErrorCode;
using jobs::Priority;
using jobs::SpawnOptions;
using Clock = std::chrono::steady_clock;

constexpr SpawnOptions kBackground{.priority = Priority::kBackground};
constexpr unsigned kWorkers[] = {1, 2, 4, 16};

// Counts the calls of pass() that overlap.
class Gauge {
 public:
  void pass() {
    const int now = ++inside_;
    int most = most_;
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
    for (int i = 0; i < 3; ++i) std::this_thread::yield();
    --inside_;
    ++passed_;
  }
  int most() const { return most_; }
  int passed() const { return passed_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
  std::atomic<int> passed_{0};
};

// Spins until the condition holds, for at most 5 s. Returns whether it holds.
bool await(const std::function<bool()>& condition) {
  const auto end = Clock::now() + 5s;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(BackgroundLimit, BoundsTheJobsThatRunAtATime) {
  for (const unsigned workers : kWorkers) {
    for (const unsigned limit : {1u, 2u, 16u}) {
      Gauge gauge;
      {
        jobs::Scheduler scheduler({.worker_count = workers, .max_background_workers = limit});
        for (int i = 0; i < 200; ++i) {
          scheduler.spawn([&] { gauge.pass(); },
                          {.on = i % 2 == 0 ? jobs::anywhere : jobs::not_main_thread,
                           .priority = Priority::kBackground});
        }
        scheduler.run([&] {
          for (int i = 0; i < 200; ++i) jobs::spawn([&] { gauge.pass(); }, kBackground);
        });
      }
      EXPECT_EQ(gauge.passed(), 400);
      EXPECT_LE(gauge.most(), static_cast<int>(std::min(limit, workers)));
    }
  }
}

TEST(BackgroundLimit, BoundsLoopsFibersAndNodes) {
  for (const unsigned workers : kWorkers) {
    jobs::Scheduler scheduler({.worker_count = workers, .max_background_workers = 2});
    Gauge loop;
    Gauge others;
    scheduler.run([&] {
      jobs::Event looped;
      jobs::spawn(
          [&] {
            jobs::parallel_for(
                0, 300, [&](int) { loop.pass(); }, jobs::LoopPriority(Priority::kBackground),
                jobs::Grain(1));
            looped.signal();
          },
          kBackground);
      looped.wait();
      std::vector<jobs::Fiber<>> fibers;
      for (int i = 0; i < 50; ++i) {
        fibers.emplace_back([&] { others.pass(); },
                            jobs::FiberOptions{.priority = Priority::kBackground});
      }
      for (auto& fiber : fibers) fiber.join();
      jobs::TaskGraph graph;
      for (int i = 0; i < 50; ++i)
        graph.node([&] { others.pass(); }).priority(Priority::kBackground);
      graph.run();
    });
    EXPECT_EQ(loop.passed(), 300);
    EXPECT_EQ(others.passed(), 100);
    EXPECT_LE(loop.most(), 2);
    EXPECT_LE(others.most(), 2);
  }
}

TEST(BackgroundLimit, LetsAsManyRunAsItAllows) {
  for (const unsigned workers : {2u, 4u, 16u}) {
    std::atomic<int> inside{0};
    std::atomic<int> met{0};
    {
      jobs::Scheduler scheduler({.worker_count = workers, .max_background_workers = 2});
      for (int i = 0; i < 2; ++i) {
        scheduler.spawn(
            [&] {
              ++inside;
              met += await([&] { return inside == 2; }) ? 1 : 0;
            },
            kBackground);
      }
    }
    EXPECT_EQ(met, 2);
  }
}

TEST(BackgroundLimit, LetsABackgroundJobWaitForAnotherOne) {
  for (const unsigned workers : kWorkers) {
    std::atomic<int> ran{0};
    std::function<void(int)> nest = [&](int depth) {
      ++ran;
      if (depth == 0) return;
      jobs::Counter child;
      jobs::spawn(child, [&, depth] { nest(depth - 1); }, kBackground);
      child.wait();
    };
    {
      jobs::Scheduler scheduler({.worker_count = workers, .max_background_workers = 1});
      for (int i = 0; i < 8; ++i) scheduler.spawn([&] { nest(5); }, kBackground);
    }
    EXPECT_EQ(ran, 48);
  }
}

// The worker that has run the first background job continues with other work. The second one runs
// on a worker that has slept meanwhile.
enum class Next { kJob, kYieldingJobs, kReadyFiber };

void leave_with(Next next, unsigned workers) {
  std::atomic<bool> begun{false};
  std::atomic<bool> go{false};
  std::atomic<bool> second_ran{false};
  std::atomic<bool> in_time{true};
  const auto keep_busy = [&] {
    const bool ran = await([&] {
      if (next == Next::kYieldingJobs) jobs::yield();
      return second_ran.load();
    });
    if (!ran) in_time = false;
  };
  std::vector<jobs::Event> wakes(workers);
  std::vector<jobs::Fiber<>> fibers(workers);
  {
    jobs::Scheduler scheduler({.worker_count = workers, .max_background_workers = 1});
    jobs::Counter started;
    for (unsigned i = 0; i < workers; ++i) {
      scheduler.spawn(started,
                      [&, i] {
                        fibers[i] = jobs::Fiber<>(
                            [&, i] {
                              wakes[i].wait();
                              keep_busy();
                            },
                            {.start = jobs::FiberStart::kNow});
                      },
                      {.on = jobs::worker(i)});
    }
    started.wait();
    scheduler.spawn(
        [&] {
          begun = true;
          while (!go) std::this_thread::yield();
          const unsigned self = *jobs::worker_index();
          if (next == Next::kReadyFiber) return wakes[self].signal();
          for (int i = 0; i < (next == Next::kJob ? 1 : 2); ++i)
            jobs::spawn(keep_busy, {.on = jobs::worker(self)});
        },
        kBackground);
    while (!begun) std::this_thread::yield();
    scheduler.spawn([&] { second_ran = true; }, kBackground);
    std::this_thread::sleep_for(20ms);  // The other workers sleep.
    EXPECT_FALSE(second_ran);
    go = true;
    EXPECT_TRUE(await([&] { return second_ran.load(); })) << workers << " workers";
    for (jobs::Event& wake : wakes) wake.signal();
    for (auto& fiber : fibers) fiber.join();
  }
  EXPECT_TRUE(in_time) << workers << " workers";
}

TEST(BackgroundLimit, WakesASleeperBeforeAnotherJob) {
  for (const unsigned workers : {2u, 4u, 16u}) leave_with(Next::kJob, workers);
}

TEST(BackgroundLimit, WakesASleeperBetweenYields) {
  for (const unsigned workers : {2u, 4u, 16u}) leave_with(Next::kYieldingJobs, workers);
}

TEST(BackgroundLimit, WakesASleeperBeforeAReadyFiber) {
  for (const unsigned workers : {2u, 4u, 16u}) leave_with(Next::kReadyFiber, workers);
}

TEST(BackgroundLimit, DoesNotConcernOtherJobs) {
  std::atomic<int> inside{0};
  std::atomic<int> met{0};
  const auto meet = [&] {
    ++inside;
    met += await([&] { return inside == 3; }) ? 1 : 0;
  };
  {
    jobs::Scheduler scheduler({.worker_count = 3, .max_background_workers = 1});
    scheduler.spawn(meet, kBackground);
    scheduler.spawn(meet, {.priority = Priority::kLow});
    scheduler.spawn(meet);
  }
  EXPECT_EQ(met, 3);
}

TEST(BackgroundLimit, HoldsForABoundThread) {
  Gauge gauge;
  {
    jobs::Scheduler scheduler(
        {.worker_count = 2, .bind_caller = true, .max_background_workers = 1});
    for (int i = 0; i < 200; ++i) {
      jobs::spawn([&] { gauge.pass(); }, {.on = i % 2 == 0 ? jobs::anywhere : jobs::not_main_thread,
                                          .priority = Priority::kBackground});
    }
  }
  EXPECT_EQ(gauge.passed(), 200);
  EXPECT_LE(gauge.most(), 1);
}

std::optional<ErrorCode> code_of(const jobs::SchedulerOptions& options) {
  return jobs::test::code_of([&] { jobs::Scheduler scheduler(options); });
}

// --- max_background_share ------------------------------------------------------------------------

TEST(BackgroundShare, IsAboveZeroAndAtMostOne) {
  for (const double share : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(code_of({.worker_count = 1, .max_background_share = share}), ErrorCode::kBadArgument)
        << share;
  }
  for (const double share : {1e-300, 0.5, 1.0})
    EXPECT_EQ(code_of({.worker_count = 2, .max_background_share = share}), std::nullopt) << share;
}

// While the budget is spent, all workers sleep: one of them must wake up by itself.
TEST(BackgroundShare, RunsAllJobsOnTheWorkersOfTheShare) {
  struct Case {
    unsigned workers;
    double share;
    unsigned limit;  // max_background_workers
    int most;        // workers at a time
  };
  for (const Case& c :
       {Case{1, 0.3, 0, 1}, Case{2, 0.1, 0, 1}, Case{4, 0.3, 0, 2}, Case{4, 0.5, 0, 2},
        Case{4, 0.9, 1, 1}, Case{16, 0.1, 0, 2}, Case{10, 0.7, 0, 7}}) {
    Gauge gauge;
    {
      jobs::Scheduler scheduler({.worker_count = c.workers,
                                 .max_background_workers = c.limit,
                                 .max_background_share = c.share});
      for (int i = 0; i < 20; ++i) {
        scheduler.spawn([&] { gauge.pass(); },
                        {.on = i % 2 == 0 ? jobs::anywhere : jobs::not_main_thread,
                         .priority = Priority::kBackground});
      }
      // Long jobs: each one spends the budget.
      for (int i = 0; i < 3; ++i) {
        scheduler.spawn(
            [&] {
              gauge.pass();
              std::this_thread::sleep_for(15ms);
            },
            kBackground);
      }
    }
    EXPECT_EQ(gauge.passed(), 23);
    EXPECT_LE(gauge.most(), c.most) << c.workers << " workers, share " << c.share;
  }
}

// The budget is spent when a job comes to sleeping workers, and a bound thread may not take it.
TEST(BackgroundShare, RunsAJobThatComesToSleepingWorkers) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    for (const bool is_bound : {false, true}) {
      jobs::Scheduler scheduler(
          {.worker_count = workers, .bind_caller = is_bound, .max_background_share = 0.3});
      std::atomic<int> ran{0};
      for (int i = 0; i < 3; ++i) {
        jobs::Event ended;
        scheduler.spawn(
            [&] {
              std::this_thread::sleep_for(15ms);
              ++ran;
              ended.signal();
            },
            {.on = is_bound ? jobs::not_main_thread : jobs::anywhere,
             .priority = Priority::kBackground});
        ended.wait();
      }
      EXPECT_EQ(ran, 3);
    }
  }
}

TEST(BackgroundShare, DoesNotConcernOtherJobs) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_background_share = 1e-6});
  scheduler.run([] {
    // Hours pass before the next background job may begin.
    jobs::Event spent;
    jobs::Counter counter;
    bool second = false;
    jobs::spawn(
        [&] {
          std::this_thread::sleep_for(20ms);
          spent.signal();
        },
        kBackground);
    spent.wait();
    jobs::spawn(counter, [&] { second = true; }, kBackground);
    jobs::Event low;
    jobs::spawn([&] { low.signal(); }, {.priority = Priority::kLow});
    low.wait();
    jobs::Counter lifted;
    jobs::spawn(lifted, [] {}, kBackground);
    lifted.wait();
    jobs::Event affine;
    jobs::spawn([&] { affine.signal(); },
                {.on = jobs::worker(0), .priority = Priority::kBackground});
    affine.wait();
    EXPECT_FALSE(second);
    counter.wait();  // lifts the job
    EXPECT_TRUE(second);
  });
}

// The worker leaves the loop between two parts: the other background job runs meanwhile.
TEST(BackgroundShare, LetsALoopGiveWay) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_background_share = 0.5});
  const jobs::SchedulerScope scope(scheduler);
  constexpr int kParts = 5000;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_spawned{false};
  std::atomic<bool> other{false};
  std::atomic<int> parts_before{0};
  jobs::parallel_for(
      0, kParts,
      [&](int) {
        if (std::this_thread::get_id() == caller) {
          await([&] { return other.load(); });
          return;
        }
        if (!is_spawned.exchange(true)) scheduler.spawn([&] { other = true; }, kBackground);
        if (other) return;
        ++parts_before;
        std::this_thread::sleep_for(1ms);
      },
      jobs::LoopPriority(Priority::kBackground), jobs::Grain(1));
  EXPECT_TRUE(other);
  EXPECT_LT(parts_before, kParts - 1);
}

// --- the environment -----------------------------------------------------------------------------

// Returns whether two background jobs meet. Each one waits for the other for at most `patience`.
bool two_meet(unsigned limit, Clock::duration patience) {
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  {
    jobs::Scheduler scheduler({.worker_count = 4, .max_background_workers = limit});
    for (int i = 0; i < 2; ++i) {
      scheduler.spawn(
          [&] {
            if (++inside == 2) met = true;
            const auto end = Clock::now() + patience;
            while (!met && Clock::now() < end) std::this_thread::sleep_for(1ms);
            --inside;
          },
          kBackground);
    }
  }
  return met;
}

TEST(BackgroundLimit, ComesFromTheEnvironmentIfTheProgramNamesNone) {
  constexpr const char* kVariable = "JOBS_BACKGROUND_WORKERS";
  constexpr auto kShort = 200ms;  // for jobs that must not meet
  constexpr auto kLong = 30s;     // for jobs that meet as soon as both workers have a CPU
  ASSERT_EQ(setenv(kVariable, "1", 1), 0);
  EXPECT_FALSE(two_meet(0, kShort));
  EXPECT_TRUE(two_meet(2, kLong));
  for (const char* value : {"0", "4097", "-1", "1.5", "many", " 2"}) {
    ASSERT_EQ(setenv(kVariable, value, 1), 0);
    EXPECT_EQ(code_of({.worker_count = 1}), ErrorCode::kBadEnvironment) << value;
  }
  ASSERT_EQ(setenv(kVariable, "", 1), 0);
  EXPECT_TRUE(two_meet(0, kLong));
  ASSERT_EQ(unsetenv(kVariable), 0);
}

}  // namespace
