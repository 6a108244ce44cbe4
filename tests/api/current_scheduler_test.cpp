// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler that a free function uses: Scheduler::current(), SchedulerScope, the default
// scheduler and its options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/per_worker.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::test::code_of;

using testing::HasSubstr;

class CurrentScheduler : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(CurrentScheduler);

template <class F>
void on_new_thread(F&& f) {
  std::jthread(std::forward<F>(f)).join();
}

TEST_P(CurrentScheduler, IsThatOfTheJob) {
  jobs::Scheduler other({.worker_count = 2});
  run([&] {
    jobs::Scheduler& here = jobs::Scheduler::current();
    EXPECT_EQ(&here, is_external() ? &jobs::default_scheduler() : &scheduler());
    EXPECT_EQ(&other.run([]() -> jobs::Scheduler& { return jobs::Scheduler::current(); }), &other);
    EXPECT_EQ(&jobs::Scheduler::current(), &here);
    jobs::Fiber<jobs::Scheduler*> fiber([] { return &jobs::Scheduler::current(); });
    EXPECT_EQ(fiber.join(), &here);
  });
}

TEST_P(CurrentScheduler, MayBeUsedLikeAnyOther) {
  run([&] {
    jobs::Scheduler& here = jobs::Scheduler::current();
    EXPECT_EQ(here.worker_count(), jobs::worker_count());
    EXPECT_EQ(here.run([] { return 3; }), 3);
    jobs::Counter done;
    std::atomic<bool> ran{false};
    here.spawn(done, [&] { ran = true; });
    done.wait();
    EXPECT_TRUE(ran);
    EXPECT_GT(here.stats().jobs, 0u);
    here.trim();
  });
}

// --- scopes --------------------------------------------------------------------------------------

// Runs a piece of each part of the library, and checks that it uses `expected`.
void use_everything(jobs::Scheduler& expected) {
  std::atomic<int> astray{0};
  const auto look = [&] {
    if (&jobs::Scheduler::current() != &expected) ++astray;
  };
  look();
  EXPECT_EQ(jobs::worker_count(), expected.worker_count());
  jobs::Counter done;
  for (int i = 0; i < 10; ++i) jobs::spawn(done, look);
  jobs::spawn(done, look, {.on = jobs::worker(expected.worker_count() - 1)});
  done.wait();
  jobs::parallel_for(0, 1000, [&](int) { look(); });
  jobs::fork_join(look, look, look);
  EXPECT_EQ(jobs::parallel_reduce(0, 100, 0, std::plus<>(),
                                  [&](int i) {
                                    look();
                                    return i;
                                  }),
            4950);
  jobs::TaskGraph graph;
  graph.node(look, "first").precede(graph.node(look, "second"));
  graph.run();
  jobs::Fiber<> fiber(look);
  fiber.join();
  jobs::PerWorker<int> per_worker;
  look();
  EXPECT_EQ(astray, 0);
}

TEST(SchedulerScope, MakesTheSchedulerThatOfAllFreeFunctions) {
  for (const unsigned workers : {1u, 2u, 3u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    const jobs::SchedulerScope scope(scheduler);
    use_everything(scheduler);
  }
  use_everything(jobs::default_scheduler());
}

TEST(SchedulerScope, TakesTheCallerIntoTheLoop) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  const auto caller = std::this_thread::get_id();
  int here = 0;  // only this thread writes it
  jobs::parallel_for(0, 10, [&](int) {
    if (std::this_thread::get_id() == caller) ++here;
  });
  EXPECT_GT(here, 0);
}

TEST(SchedulerScope, MayBeNested) {
  jobs::Scheduler outer({.worker_count = 3});
  jobs::Scheduler inner({.worker_count = 4});
  const jobs::SchedulerScope first(outer);
  {
    const jobs::SchedulerScope second(inner);
    {
      const jobs::SchedulerScope third(outer);
      use_everything(outer);
    }
    use_everything(inner);
    const jobs::SchedulerScope again(inner);
    use_everything(inner);
  }
  use_everything(outer);
}

TEST(SchedulerScope, DoesNotAffectOtherThreadsNorJobs) {
  jobs::Scheduler scheduler({.worker_count = 3});
  jobs::Scheduler other({.worker_count = 4});
  const jobs::SchedulerScope scope(scheduler);
  on_new_thread([] { EXPECT_EQ(&jobs::Scheduler::current(), &jobs::default_scheduler()); });
  EXPECT_EQ(other.run([] { return &jobs::Scheduler::current(); }), &other);
  EXPECT_EQ(jobs::default_scheduler().run([] { return &jobs::Scheduler::current(); }),
            &jobs::default_scheduler());
}

TEST(SchedulerScope, EndsWithAnException) {
  jobs::Scheduler scheduler({.worker_count = 1});
  EXPECT_THROW(
      {
        const jobs::SchedulerScope scope(scheduler);
        jobs::parallel_for(0, 10, [](int) { throw std::runtime_error("in a loop"); });
      },
      std::runtime_error);
  EXPECT_EQ(&jobs::Scheduler::current(), &jobs::default_scheduler());
}

TEST(SchedulerScope, SpawnsAreRefusedOnceTheSchedulerIsShutDown) {
  jobs::Scheduler scheduler({.worker_count = 1});
  const jobs::SchedulerScope scope(scheduler);
  scheduler.shutdown();
  EXPECT_EQ(code_of([] { jobs::spawn([] {}); }), jobs::ErrorCode::kStopped);
  EXPECT_EQ(code_of([] { jobs::parallel_for(0, 100, [](int) {}); }), jobs::ErrorCode::kStopped);
}

TEST(SchedulerScope, IsRefusedForAStoppedScheduler) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.shutdown();
  EXPECT_EQ(code_of([&] { const jobs::SchedulerScope scope(scheduler); }),
            jobs::ErrorCode::kStopped);
  EXPECT_EQ(&jobs::Scheduler::current(), &jobs::default_scheduler());
}

TEST(SchedulerScope, IsRefusedOnWorkersAndInLoops) {
  jobs::Scheduler scheduler({.worker_count = 1});
  const auto enter = [&] { return code_of([&] { const jobs::SchedulerScope scope(scheduler); }); };
  EXPECT_EQ(scheduler.run(enter), jobs::ErrorCode::kBadArgument);
  on_new_thread([&] {
    jobs::Scheduler bound({.worker_count = 1, .bind_caller = true});
    EXPECT_EQ(enter(), jobs::ErrorCode::kBadArgument);
  });
  jobs::parallel_for(0, 10, [&](int) { EXPECT_EQ(enter(), jobs::ErrorCode::kBadArgument); });
}

TEST(SchedulerScope, SurvivesASchedulerThatBindsTheThread) {
  jobs::Scheduler outer({.worker_count = 3});
  const jobs::SchedulerScope scope(outer);
  {
    jobs::Scheduler bound({.worker_count = 2, .bind_caller = true});
    use_everything(bound);
  }
  use_everything(outer);
}

// --- the default scheduler -----------------------------------------------------------------------

TEST(DefaultScheduler, IsOneObjectForAllThreads) {
  jobs::Scheduler* const here = &jobs::default_scheduler();
  std::atomic<int> others{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        if (&jobs::default_scheduler() != here) ++others;
      });
    }
  }
  EXPECT_EQ(others, 0);
  EXPECT_EQ(here->run([] { return &jobs::Scheduler::current(); }), here);
}

TEST(DefaultScheduler, ShowsItsFiguresAndItsSetUp) {
  jobs::Scheduler& scheduler = jobs::default_scheduler();
  const auto before = scheduler.stats().jobs;
  jobs::Counter done;
  for (int i = 0; i < 100; ++i) jobs::spawn(done, [] {});
  done.wait();
  EXPECT_GE(scheduler.stats().jobs, before + 100);
  EXPECT_THAT(scheduler.describe(), HasSubstr("stacks of 256 KiB"));
  EXPECT_EQ(scheduler.worker_count(), jobs::worker_count());
  scheduler.trim();
  EXPECT_EQ(code_of([&] { scheduler.run_main_thread_jobs(); }), jobs::ErrorCode::kBadArgument);
}

TEST(DefaultScheduler, OptionsAreRefusedAfterTheFirstUse) {
  static_cast<void>(jobs::default_scheduler());
  EXPECT_EQ(code_of([] { jobs::set_default_options({}); }), jobs::ErrorCode::kStarted);
}

// The message holds after a shutdown, too: a scheduler that has ended does not run.
TEST(DefaultScheduler, TheRefusalOfOptionsSaysThatItWasUsed) {
  static_cast<void>(jobs::default_scheduler());
  try {
    jobs::set_default_options({});
    FAIL() << "not refused";
  } catch (const jobs::Error& error) {
    EXPECT_STREQ(error.what(),
                 "set_default_options(): the default scheduler was used already; call it before "
                 "the first use");
  }
}

TEST(DefaultScheduler, BindsNoThreadByItself) {
  EXPECT_EQ(code_of([] { jobs::set_default_options({.bind_caller = true}); }),
            jobs::ErrorCode::kBadArgument);
}

// A process of its own for each test, because the default scheduler starts once.
struct DefaultSchedulerDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void end(bool ok) { std::_Exit(ok ? 0 : 1); }
const auto kFine = testing::ExitedWithCode(0);

TEST_F(DefaultSchedulerDeathTest, StartsWithTheOptionsThatWereSet) {
  EXPECT_EXIT(
      {
        static std::atomic<int> unhandled{0};
        jobs::set_default_options({.worker_count = 1});
        jobs::set_default_options({.worker_count = 5,
                                   .stack_size = 64 * 1024,
                                   .on_unhandled = [](const std::exception_ptr&) { ++unhandled; }});
        jobs::spawn([] { throw std::runtime_error("detached"); });
        while (unhandled == 0) std::this_thread::yield();
        end(jobs::worker_count() == 5 &&
            jobs::default_scheduler().describe().find("stacks of 64 KiB") != std::string::npos);
      },
      kFine, "");
}

TEST_F(DefaultSchedulerDeathTest, OptionsOutOfRangeMakeTheFirstUseThrowAndMayBeReplaced) {
  EXPECT_EXIT(
      {
        jobs::set_default_options({.stack_size = 1});
        const bool threw = code_of([] { static_cast<void>(jobs::worker_count()); }) ==
                           jobs::ErrorCode::kBadArgument;
        jobs::set_default_options({.worker_count = 3});
        end(threw && jobs::worker_count() == 3);
      },
      kFine, "");
}

TEST_F(DefaultSchedulerDeathTest, ShutdownOfTheObjectIsThatOfTheProcess) {
  EXPECT_EXIT(
      {
        std::atomic<bool> ran{false};
        jobs::spawn([&] { ran = true; });
        jobs::default_scheduler().shutdown();
        const bool stopped =
            code_of([] { jobs::spawn([] {}); }) == jobs::ErrorCode::kStopped &&
            code_of([] { jobs::set_default_options({}); }) == jobs::ErrorCode::kStarted;
        jobs::shutdown_default();
        end(ran && stopped);
      },
      kFine, "");
}

}  // namespace
