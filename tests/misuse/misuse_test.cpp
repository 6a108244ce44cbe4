// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Violations of the contract: the program ends with one line that names the mistake and its place.
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "jobs/base/thread_safety.hpp"
#include "jobs/blocking.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/sanitized.hpp"

namespace {

constexpr const char* kAnyFiber = "\\[fiber [0-9]+, worker 0\\]";

std::string line(const std::string& type, const std::string& rule,
                 const std::string& where = kAnyFiber) {
  return "jobs: " + type + " (0x[0-9a-f]+|\\(address unknown\\)): " + rule + " " + where + "\n";
}

struct MisuseDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Runs f() as a job of a scheduler with one worker.
template <class F>
void in_job(F f) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run(f);
}

// Clang's thread-safety analysis finds this mistake in the code; this function hides it from the
// analysis.
void unlock(jobs::Mutex& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock(); }
void lock(jobs::Mutex& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.lock(); }

// --- schedulers ---------------------------------------------------------------------------------

TEST_F(MisuseDeathTest, SchedulerShutDownFromItsOwnJob) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        scheduler.run([&] { scheduler.shutdown(); });
      },
      line("Scheduler", "shut down from one of its own jobs"));
}

TEST_F(MisuseDeathTest, SchedulerShutDownFromItsOwnBlockingCall) {
  const std::string violation = line(
      "Scheduler", "shut down from blocking\\(\\) of one of its own jobs", "\\[external thread\\]");
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        scheduler.run([&] { jobs::blocking([&] { scheduler.shutdown(); }); });
      },
      violation);
  EXPECT_DEATH(
      {
        jobs::spawn([] { jobs::blocking([] { jobs::shutdown_default(); }); });
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      violation);
}

TEST_F(MisuseDeathTest, StaticSchedulerWhoseJobNeverEndsIsReportedAtExit) {
  EXPECT_EXIT(
      {
        static jobs::Event never;
        static jobs::Scheduler scheduler({.worker_count = 1,
                                          .shutdown_report_after = std::chrono::milliseconds(10),
                                          .on_report = [](const jobs::Report& report) {
                                            std::cerr << report;
                                            std::_Exit(0);
                                          }});
        scheduler.run([] { jobs::Fiber<>([] { never.wait(); }, {.name = "server"}).detach(); });
        std::exit(1);
      },
      testing::ExitedWithCode(0),
      "a shutdown has waited [0-9.]+ s(.|\n)*\"server\", created at .*misuse_test.cpp:[0-9]+ "
      "\\(worker 0\\) waits for event");
}

TEST_F(MisuseDeathTest, SchedulerDestroyedFromItsOwnJob) {
  EXPECT_DEATH(
      {
        auto scheduler =
            std::make_unique<jobs::Scheduler>(jobs::SchedulerOptions{.worker_count = 1});
        scheduler->run([&] { scheduler.reset(); });
      },
      line("Scheduler", "shut down from one of its own jobs"));
}

TEST_F(MisuseDeathTest, SchedulerShutDownByAnotherThanTheBoundThread) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
        std::jthread([&] { scheduler.shutdown(); }).join();
      },
      line("Scheduler", "shut down by another thread than the one that is bound to it",
           "\\[external thread\\]"));
}

TEST_F(MisuseDeathTest, MainThreadJobsRunByAnotherThread) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
        std::jthread([&] { scheduler.run_main_thread_jobs(); }).join();
      },
      line("Scheduler",
           "run_main_thread_jobs\\(\\) by another thread than the one that is bound to it",
           "\\[external thread\\]"));
}

// --- jobs and fibers ----------------------------------------------------------------------------

TEST_F(MisuseDeathTest, JobThatEndsItsThread) {
  if (jobs::test::kUnderThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer stops at a pthread_exit() on a fiber by itself";
  EXPECT_DEATH(in_job([] { pthread_exit(nullptr); }),
               line("Job", "pthread_exit\\(\\) or pthread_cancel\\(\\) inside a job"));
}

TEST_F(MisuseDeathTest, UnhandledException) {
  EXPECT_DEATH(in_job([] {
                 jobs::spawn([] { throw std::runtime_error("unheard"); });
                 jobs::yield();
               }),
               "jobs: an exception left a detached job, and there is no "
               "on_unhandled\n(.*\n)*.*what\\(\\):  unheard");
}

TEST_F(MisuseDeathTest, ExceptionOfAFiberThatIsNotJoined) {
  EXPECT_DEATH(
      in_job([] { const jobs::Fiber<> fiber([] { throw std::runtime_error("unheard"); }); }),
      "what\\(\\):  unheard");
}

int descend(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth < 0) return 0;  // never
  return descend(depth + 1) + frame[0];
}

TEST_F(MisuseDeathTest, StackThatOverflows) {
  if (jobs::test::kSanitized) GTEST_SKIP() << "the sanitizer handles the fault";
  EXPECT_DEATH(in_job([] { descend(0); }),
               "^jobs: fiber [0-9]+ overflowed its 256 KiB stack \\(worker 0\\)\n");
  EXPECT_DEATH(
      in_job([] {
        jobs::Fiber<> fiber([] { descend(0); }, {.name = "too-deep"});
        fiber.join();
      }),
      "^jobs: fiber [0-9]+ \"too-deep\" overflowed its 256 KiB stack \\(worker 0\\), created at "
      ".*misuse_test.cpp:[0-9]+\n");
}

// --- waits --------------------------------------------------------------------------------------

TEST_F(MisuseDeathTest, MutexUnlockedByAnotherFiberIsNamed) {
  EXPECT_DEATH(in_job([] {
                 jobs::Mutex mutex;
                 lock(mutex);
                 jobs::Fiber<> thief([&mutex] { unlock(mutex); }, {.name = "thief"});
                 thief.join();
               }),
               line("Mutex", "unlock\\(\\) by a fiber or thread that does not own it",
                    "\\[fiber [0-9]+ \"thief\", worker 0\\]"));
}

TEST_F(MisuseDeathTest, FiberWithoutANameIsNamedByItsCreationSite) {
  EXPECT_DEATH(in_job([] {
                 jobs::Mutex mutex;
                 lock(mutex);
                 jobs::Fiber<> thief([&mutex] { unlock(mutex); });
                 thief.join();
               }),
               line("Mutex", "unlock\\(\\) by a fiber or thread that does not own it",
                    "\\[fiber [0-9]+ created at [^ ]*misuse_test.cpp:[0-9]+, worker 0\\]"));
}

TEST_F(MisuseDeathTest, MutexLockedTwiceByOneJob) {
  EXPECT_DEATH(in_job([] {
                 jobs::Mutex mutex;
                 lock(mutex);
                 lock(mutex);
               }),
               line("Mutex", "lock\\(\\) by the fiber or thread that owns it"));
}

TEST_F(MisuseDeathTest, CounterDestroyedWithJobsOutstanding) {
  EXPECT_DEATH(in_job([] {
                 jobs::Counter done;
                 jobs::spawn(done, [] {});
               }),
               line("Counter", "destroyed with jobs outstanding"));
}

TEST_F(MisuseDeathTest, CounterDestroyedWhileAFiberWaits) {
  EXPECT_DEATH(in_job([] {
                 auto counter = std::make_unique<jobs::Counter>(1);
                 jobs::spawn([target = counter.get()] { target->wait(); });
                 while (true) {
                   for (int i = 0; i < 10; ++i) jobs::yield();
                   counter.reset();
                 }
               }),
               line("Counter", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, EventDestroyedWhileAFiberWaits) {
  EXPECT_DEATH(in_job([] {
                 auto event = std::make_unique<jobs::Event>();
                 jobs::spawn([target = event.get()] { target->wait(); });
                 for (int i = 0; i < 10; ++i) jobs::yield();
                 event.reset();
               }),
               line("Event", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, ChannelDestroyedWhileAFiberWaits) {
  EXPECT_DEATH(in_job([] {
                 auto channel = std::make_unique<jobs::Channel<int>>(1);
                 jobs::spawn([target = channel.get()] { static_cast<void>(target->pop()); });
                 for (int i = 0; i < 10; ++i) jobs::yield();
                 channel.reset();
               }),
               line("Channel", "destroyed while waited on"));
}

// --- refused, without any change ----------------------------------------------------------------

struct ThrowsWhenCopied {
  explicit ThrowsWhenCopied(int& count) : alive(&count) { ++*alive; }
  ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("copy"); }
  ~ThrowsWhenCopied() { --*alive; }
  int* alive = nullptr;
};

TEST(Misuse, CapturesThatThrowWhenCopied) {
  int alive = 0;
  in_job([&alive] {
    jobs::Counter done;
    const auto job = [capture = ThrowsWhenCopied(alive)] { static_cast<void>(capture); };
    EXPECT_THROW(jobs::spawn(done, job), std::runtime_error);
    EXPECT_THROW(jobs::spawn(job), std::runtime_error);
    EXPECT_THROW(const jobs::Fiber<> fiber(job), std::runtime_error);
    done.wait();  // the count is unchanged
    EXPECT_EQ(alive, 1);
  });
  EXPECT_EQ(alive, 0);
}

TEST(Misuse, WhatOnlyAFiberMayCall) {
  const auto refused = [](auto call) {
    try {
      call();
    } catch (const jobs::Error& error) {
      return error.code() == jobs::ErrorCode::kBadArgument &&
             std::string(error.what()).ends_with("only inside a Fiber");
    }
    return false;
  };
  const auto suspend = [] { jobs::this_fiber::suspend(); };
  const auto rename = [] { jobs::this_fiber::set_name("nobody"); };
  EXPECT_TRUE(refused(suspend) && refused(rename)) << "on a thread";
  in_job([&] { EXPECT_TRUE(refused(suspend) && refused(rename)) << "in a plain job"; });
}

// Each waits for the other, with one worker each: a wait suspends a fiber and releases its worker.
TEST(Misuse, SchedulersThatRunJobsOnEachOther) {
  jobs::Scheduler one({.worker_count = 1});
  jobs::Scheduler other({.worker_count = 1});
  const auto descend = [&](auto& self, int depth) -> int {
    return depth == 0
               ? 0
               : 1 + (depth % 2 == 0 ? one : other).run([&] { return self(self, depth - 1); });
  };
  EXPECT_EQ(descend(descend, 20), 20);
}

// --- allowed, though it looks like misuse -------------------------------------------------------

TEST_F(MisuseDeathTest, CounterIsWaitedForWhileTheStackUnwinds) {
  EXPECT_EXIT(
      {
        int ran = 0;
        in_job([&ran] {
          try {
            jobs::Counter done;
            for (int i = 0; i < 10; ++i) jobs::spawn(done, [&ran] { ++ran; });
            throw std::runtime_error("the jobs still refer to this frame");
          } catch (const std::runtime_error&) {
          }
        });
        std::_Exit(ran == 10 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MisuseDeathTest, ExitFromAJobOfTheDefaultScheduler) {
  EXPECT_EXIT(
      {
        jobs::Counter done;
        jobs::spawn(done, [] { std::exit(3); });
        done.wait();
      },
      testing::ExitedWithCode(3), "^$");
}

TEST_F(MisuseDeathTest, ExitFromAJobOfASchedulerThatOutlivesIt) {
  EXPECT_EXIT(
      {
        // Belongs to a waiting thread: no thread destroys it.
        jobs::Scheduler scheduler({.worker_count = 2});
        scheduler.run([] { std::exit(3); });
      },
      testing::ExitedWithCode(3), "^$");
}

TEST_F(MisuseDeathTest, ExitFromAJobOfASchedulerThatItDestroys) {
  EXPECT_DEATH(
      {
        static jobs::Scheduler scheduler({.worker_count = 2});
        scheduler.run([] { std::exit(3); });  // the destructor would wait for its own job
      },
      "jobs: Scheduler 0x[0-9a-f]+: shut down from one of its own jobs \\[");
}

TEST_F(MisuseDeathTest, QuickExitFromAJobOfAStaticScheduler) {
  EXPECT_EXIT(
      {
        static jobs::Scheduler scheduler({.worker_count = 2});
        scheduler.run([] { std::quick_exit(3); });
      },
      testing::ExitedWithCode(3), "^$");
}

TEST_F(MisuseDeathTest, SchedulerAsAStaticObject) {
  EXPECT_EXIT(
      {
        static jobs::Scheduler scheduler({.worker_count = 2});
        scheduler.run([] { jobs::spawn([] {}); });
        std::exit(0);  // runs the destructor of the scheduler
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(MisuseDeathTest, MainReturnsWhileTheDefaultSchedulerIsBusy) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 100; ++i) {
          jobs::spawn([] { std::this_thread::sleep_for(std::chrono::seconds(1)); });
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

}  // namespace
