// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of programs on their jobs that the library cannot refuse: signals, jumps, exceptions
// from unusual places, waits for themselves. README.md in this folder names the test of each case.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using namespace std::chrono_literals;

struct HostileDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// --- exceptions from unusual places -------------------------------------------------------------

struct ThrowsAtTheEnd {
  explicit ThrowsAtTheEnd(std::atomic<bool>& flag) : armed(&flag) {}
  ThrowsAtTheEnd(const ThrowsAtTheEnd&) = default;
  ~ThrowsAtTheEnd() noexcept(false) {
    if (*armed) throw std::runtime_error("destructor of a capture");
  }
  // The caller of spawn() destroys its copy, which may read the flag while the job runs.
  std::atomic<bool>* armed;
};

TEST_F(HostileDeathTest, CaptureWhoseDestructorThrows) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        scheduler.run([] {
          std::atomic<bool> armed = false;
          jobs::Counter done;
          jobs::spawn(done, [capture = ThrowsAtTheEnd(armed)] { *capture.armed = true; });
          done.wait();
        });
      },
      "what\\(\\):  destructor of a capture");
}

TEST_F(HostileDeathTest, HandlerOfUnhandledExceptionsThatThrows) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler(
            {.worker_count = 1, .on_unhandled = [](const std::exception_ptr&) {
               throw std::runtime_error("handler");
             }});
        scheduler.run([] { jobs::spawn([] { throw 1; }); });
      },
      "what\\(\\):  handler");
}

TEST(Hostile, IteratorThatThrowsIsABodyThatThrows) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    const auto numbers = std::views::iota(0, 1000) | std::views::transform([](int i) {
                           if (i == 700) throw std::runtime_error("iterator");
                           return i;
                         });
    EXPECT_THROW(jobs::parallel_for(numbers, [](int) {}), std::runtime_error);
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(numbers, 0, std::plus<>())),
                 std::runtime_error);
  });
}

// --- waits for themselves -----------------------------------------------------------------------

// The library does not know the jobs of a count, so the deadlock is detected when no other work is
// left.
TEST(Hostile, JobThatWaitsForItselfIsReported) {
  std::atomic<bool> told = false;
  std::string text;
  jobs::Counter done(1);
  jobs::Scheduler scheduler(
      {.worker_count = 2, .deadlock_after = 5ms, .on_report = [&](const jobs::Report& report) {
         if (told) return;
         text = report.text();
         told = true;
         told.notify_all();
       }});
  scheduler.run([&] {
    jobs::spawn([&] {
      done.wait();  // for the done() below
    });
  });
  told.wait(false);
  EXPECT_NE(text.find(" for counter "), std::string::npos) << text;
  done.done();
}

// --- signals ------------------------------------------------------------------------------------

std::atomic<pthread_t> handled_by{};
std::atomic<int> handled = 0;

void note_thread(int) {
  handled_by = pthread_self();
  ++handled;
}

// A handler therefore never interrupts a worker's push.
TEST(Hostile, SignalsOfTheProcessAreNotHandledOnWorkers) {
  std::signal(SIGUSR1, note_thread);
  jobs::Scheduler scheduler({.worker_count = 3});
  for (unsigned i = 0; i < 3; ++i) {
    jobs::Counter done;
    sigset_t blocked{};
    scheduler.run([&] {
      jobs::spawn(done, [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); },
                  {.on = jobs::worker(i)});
      done.wait();
    });
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGPROF}) {
      EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
  }
  scheduler.run([] { kill(getpid(), SIGUSR1); });
  while (handled == 0) std::this_thread::yield();
  EXPECT_TRUE(pthread_equal(handled_by, pthread_self()));
  std::signal(SIGUSR1, SIG_DFL);
}

// A signal handler may not spawn; a thread that waits for the signal may call everything.
TEST(Hostile, JobsAreSpawnedForASignalByAThreadThatWaitsForIt) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  jobs::Scheduler scheduler({.worker_count = 2});
  std::jthread thread([&] {
    int signal = 0;
    sigwait(&wanted, &signal);
    EXPECT_EQ(scheduler.run([signal] { return signal; }), SIGUSR2);
  });
  kill(getpid(), SIGUSR2);
}

// --- jumps --------------------------------------------------------------------------------------

// A jump out of a job or fiber is undefined. A jump within it, over frames without destructors,
// works as in any function, also after a wait.
TEST(Hostile, JumpsWithinAJob) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    std::jmp_buf here;
    volatile int after_resume = 0;
    if (setjmp(here) == 0) {
      jobs::this_fiber::sleep_for(10us);
      std::longjmp(here, 1);
    }
    after_resume = after_resume + 1;
    EXPECT_EQ(after_resume, 1);
    jobs::Counter done;
    jobs::spawn(done, [] {});
    done.wait();
  });
}

// --- memory -------------------------------------------------------------------------------------

// If an allocator of the program fails inside a job, the exception is treated like any other.
TEST(Hostile, JobThatFindsNoMemory) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    jobs::Counter done;
    jobs::spawn(done, [] { throw std::bad_alloc(); });
    EXPECT_THROW(done.wait(), std::bad_alloc);
    jobs::Fiber<> fiber([] { throw std::bad_alloc(); });
    EXPECT_THROW(fiber.join(), std::bad_alloc);
    EXPECT_THROW(jobs::parallel_for(0, 100,
                                    [](int i) {
                                      if (i == 50) throw std::bad_alloc();
                                    }),
                 std::bad_alloc);
  });
}

}  // namespace
