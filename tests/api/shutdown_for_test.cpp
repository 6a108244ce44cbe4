// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler::shutdown_for() and shutdown_until(), the reports of a shutdown, and the shutdown of
// the default scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/standard_error.hpp"

namespace {

using jobs::test::bytes_of_standard_error;
using jobs::test::code_of;
using jobs::test::is_true_in_time;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

// For reports that need the answer of each worker.
constexpr auto kPatient = 1h;

// --- deadlines -----------------------------------------------------------------------------------

TEST(ShutdownFor, ReturnsTrueWhenTheWorkersHaveStopped) {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> ran{false};
  scheduler.spawn([&] {
    jobs::this_fiber::sleep_for(5ms);
    ran = true;
  });
  EXPECT_TRUE(scheduler.shutdown_for(1h));
  EXPECT_TRUE(ran);
  EXPECT_TRUE(scheduler.shutdown_for(0s));
  EXPECT_TRUE(scheduler.shutdown_until(std::chrono::system_clock::now()));
}

TEST(ShutdownFor, RefusesWorkFromOutsideAndContinuesToDrainAfterTheDeadline) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event go;
  std::atomic<int> ran{0};
  scheduler.spawn([&] {
    go.wait();
    jobs::spawn([&] { ++ran; });
    ++ran;
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(scheduler.shutdown_for(20ms));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  EXPECT_FALSE(scheduler.shutdown_for(-1s));
  EXPECT_EQ(code_of([&] { scheduler.spawn([] {}); }), jobs::ErrorCode::kStopped);
  EXPECT_EQ(code_of([&] { const jobs::SchedulerScope scope(scheduler); }),
            jobs::ErrorCode::kStopped);
  go.signal();
  while (ran != 2) std::this_thread::yield();
  EXPECT_TRUE(scheduler.shutdown_until(std::chrono::steady_clock::time_point::max()));
}

TEST(ShutdownFor, RefusesATimeThatIsNotANumberAndChangesNothing) {
  jobs::Scheduler scheduler({.worker_count = 1});
  EXPECT_EQ(code_of([&] {
              static_cast<void>(scheduler.shutdown_for(std::chrono::duration<double>(NAN)));
            }),
            jobs::ErrorCode::kBadArgument);
  EXPECT_EQ(scheduler.run([] { return 1; }), 1);
}

TEST(ShutdownFor, ServesJobsOnTheBoundThreadUntilTheDeadline) {
  jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  jobs::Event go;
  std::atomic<int> ran{0};
  scheduler.spawn([&] {
    ++ran;
    go.wait();
    ++ran;
  });
  do {  // The deadline may pass before the call serves a job.
    EXPECT_FALSE(scheduler.shutdown_for(10ms));
  } while (ran == 0);
  EXPECT_EQ(ran, 1);
  go.signal();
  EXPECT_TRUE(scheduler.shutdown_for(1h));
  EXPECT_EQ(ran, 2);
  jobs::Scheduler next({.worker_count = 1, .bind_caller = true});
}

TEST(ShutdownFor, StopsWaitingForAParticipantAtTheDeadline) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event begun, go;
  std::jthread caller([&] {
    const jobs::SchedulerScope scope(scheduler);
    jobs::fork_join(
        [&] {
          begun.signal();
          go.wait();
        },
        [] {});
  });
  begun.wait();
  EXPECT_FALSE(scheduler.shutdown_for(5ms));
  const jobs::Report report = scheduler.report(kPatient);
  EXPECT_EQ(report.participants, 1u);
  EXPECT_THAT(report.text(), HasSubstr("1 external thread is inside of a loop"));
  go.signal();
  scheduler.shutdown();
}

TEST(ShutdownFor, ServesVacantWorkersAndMayBeRepeated) {
  jobs::Scheduler scheduler({.worker_count = 2, .bound_threads = 1});
  jobs::Event go;
  std::atomic<int> ran{0};
  for (int i = 0; i < 2; ++i) {
    scheduler.spawn(
        [&] {
          go.wait();
          ++ran;
        },
        {.on = jobs::worker(0)});
  }
  EXPECT_FALSE(scheduler.shutdown_for(5ms));
  EXPECT_FALSE(scheduler.shutdown_for(5ms));
  go.signal();
  scheduler.shutdown();
  EXPECT_EQ(ran, 2);
}

TEST(ShutdownFor, StopsDaemonsAndWaitsForThemUntilTheDeadline) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event go;
  std::atomic<bool> is_asked{false}, ended{false};
  scheduler.run([&] {
    jobs::Fiber<>(
        [&] {
          try {
            jobs::this_fiber::sleep_for(1h);
          } catch (const jobs::Cancelled&) {
            is_asked = true;
            const jobs::CancelShield shield;
            go.wait();
          }
          ended = true;
        },
        {.daemon = true})
        .detach();
  });
  do {  // The deadline may pass before the daemon is asked, or before it runs.
    EXPECT_FALSE(scheduler.shutdown_for(20ms));
  } while (!is_asked);
  EXPECT_FALSE(ended);
  go.signal();
  EXPECT_TRUE(scheduler.shutdown_for(1h));
  EXPECT_TRUE(ended);
}

// --- reports -------------------------------------------------------------------------------------

TEST(ShutdownFor, LeavesAReportOfWhatHasNotEnded) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event go;
  std::atomic<int> begun{0};
  const auto wait = [&] {
    ++begun;
    go.wait();
  };
  scheduler.run([&] { jobs::Fiber<>(wait, {.name = "loader"}).detach(); });
  const unsigned line = __LINE__ - 1;
  scheduler.spawn(wait);
  ASSERT_FALSE(scheduler.shutdown_for(20ms));
  EXPECT_TRUE(is_true_in_time([&] { return begun == 2 && scheduler.stats().fibers_blocked == 2; }));
  const jobs::Report report = scheduler.report(kPatient);
  ASSERT_EQ(report.fibers.size(), 2u);
  const jobs::FiberReport& fiber = report.fibers[report.fibers[0].is_job ? 1 : 0];
  EXPECT_EQ(fiber.name, "loader");
  EXPECT_THAT(fiber.file, HasSubstr("shutdown_for_test.cpp"));
  EXPECT_EQ(fiber.line, line);
  EXPECT_EQ(fiber.waits_for, jobs::WaitKind::kEvent);
  EXPECT_EQ(fiber.object, &go);
  EXPECT_THAT(report.text(), HasSubstr("\"loader\", created at "));
  go.signal();
  scheduler.shutdown();
  EXPECT_TRUE(scheduler.report().workers.empty());
  EXPECT_TRUE(scheduler.report().fibers.empty());
}

TEST(ShutdownFor, NamesTheFiberThatKeepsItsWorker) {
  std::atomic<bool> go{false}, begun{false};
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([&] {
    jobs::Fiber<>(
        [&] {
          begun = true;
          while (!go) std::this_thread::yield();
        },
        {.name = "busy"})
        .detach();
  });
  while (!begun) std::this_thread::yield();
  ASSERT_FALSE(scheduler.shutdown_for(1ms));
  const jobs::Report report = scheduler.report(1ms);
  EXPECT_FALSE(report.workers.at(0).answered);
  EXPECT_EQ(report.workers[0].name, "busy");
  EXPECT_THAT(report.workers[0].file, HasSubstr("shutdown_for_test.cpp"));
  EXPECT_THAT(report.text(),
              AllOf(HasSubstr("\"busy\", created at "), HasSubstr("shutdown_for_test")));
  go = true;
}

TEST(ShutdownReport, IsMadeOnceByAShutdownThatTakesLong) {
  std::vector<std::string> texts;  // The hook runs on this thread.
  jobs::Event go;
  std::jthread opener;
  jobs::Scheduler scheduler({.worker_count = 2,
                             .shutdown_report_after = 10ms,
                             .on_report = [&](const jobs::Report& report) {
                               EXPECT_EQ(report.reason, jobs::Report::Reason::kShutdown);
                               EXPECT_GE(report.waited, 10ms);
                               texts.push_back(report.text());
                               opener = std::jthread([&] {
                                 std::this_thread::sleep_for(50ms);
                                 go.signal();
                               });
                             }});
  std::atomic<bool> begun{false};
  scheduler.run([&] {
    jobs::Fiber<>(
        [&] {
          begun = true;
          go.wait();
        },
        {.name = "stuck"})
        .detach();
  });
  EXPECT_TRUE(is_true_in_time([&] { return begun && scheduler.stats().fibers_blocked == 1; }));
  scheduler.shutdown();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_THAT(texts[0], AllOf(HasSubstr("jobs: a shutdown has waited "), HasSubstr("\"stuck\""),
                              HasSubstr("shutdown_for_test.cpp:"), HasSubstr("waits for event")));
}

TEST(ShutdownReport, IsNotMadeByAShortShutdownByOneWithADeadlineOrIfSwitchedOff) {
  bool is_reported = false;
  const auto options = [&](std::chrono::milliseconds after) {
    return jobs::SchedulerOptions{.worker_count = 1,
                                  .shutdown_report_after = after,
                                  .on_report = [&](const jobs::Report&) { is_reported = true; }};
  };
  const auto nap = [] { jobs::this_fiber::sleep_for(20ms); };
  {
    jobs::Scheduler scheduler(options(10min));
    scheduler.spawn(nap);
  }
  {
    jobs::Scheduler scheduler(options(1ms));
    scheduler.spawn(nap);
    EXPECT_TRUE(scheduler.shutdown_for(1h));
  }
  {
    jobs::Scheduler scheduler(options(std::chrono::milliseconds::max()));
    scheduler.spawn(nap);
  }
  EXPECT_FALSE(is_reported);
}

// --- the default scheduler, in processes of their own --------------------------------------------

struct ShutdownDefaultDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ShutdownDefaultDeathTest, IsFollowedByRefusalsOnUnboundThreads) {
  EXPECT_EXIT(
      {
        jobs::fork_join([] {}, [] {});
        jobs::shutdown_default();
        try {
          jobs::fork_join([] {}, [] {});
        } catch (const jobs::Error& error) {
          std::_Exit(error.code() == jobs::ErrorCode::kStopped ? 0 : 1);
        }
        std::_Exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ShutdownDefaultDeathTest, StopsAtItsDeadlineAndContinuesLater) {
  EXPECT_EXIT(
      {
        static jobs::Event go;
        jobs::spawn([] { go.wait(); });
        const bool first = jobs::shutdown_default_for(5ms);
        const bool is_refused = code_of([] { jobs::spawn([] {}); }) == jobs::ErrorCode::kStopped;
        go.signal();
        const bool second =
            jobs::shutdown_default_until(std::chrono::steady_clock::time_point::max());
        std::_Exit(!first && is_refused && second ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ShutdownDefaultDeathTest, IsReportedAfterTheTimeOfTheEnvironment) {
  EXPECT_EXIT(
      {
        setenv("JOBS_SHUTDOWN_MS", "10", 1);
        static jobs::Event go;
        jobs::Fiber<>([] { go.wait(); }, {.name = "stuck"}).detach();
        // Opens the event when the report is in the file that gtest reads.
        std::jthread opener([before = bytes_of_standard_error()] {
          is_true_in_time([before] { return bytes_of_standard_error() > before; });
          go.signal();
        });
        jobs::shutdown_default();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0),
      "a shutdown has waited [0-9.]+ s(.|\n)*\"stuck\", created at .*shutdown_for_test.cpp:");
}

}  // namespace
