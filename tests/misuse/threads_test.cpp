// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that cannot be started: this program's pthread_create() fails on request.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <vector>

#include "jobs/blocking.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#if defined(JOBS_TEST_WITH_IO)
#include "jobs/io/io.hpp"
#endif

namespace {

std::atomic<int> threads_left = 1'000'000;  // threads that may still start

}  // namespace

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*start)(void*),
                                                             void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return create(thread, attributes, start, argument);
}

namespace {

using namespace std::chrono_literals;

// The destructor has joined the started threads; otherwise the destructors of std::thread would end
// the program.
TEST(Threads, ThatCannotBeStartedLeaveNoScheduler) {
  for (int granted = 0; granted < 5; ++granted) {
    threads_left = granted;
    EXPECT_THROW(jobs::Scheduler({.worker_count = 5}), std::system_error) << granted;
    threads_left = granted;
    EXPECT_THROW(jobs::Scheduler({.worker_count = 6, .bind_caller = true}), std::system_error)
        << granted;
  }
  threads_left = 5;
  EXPECT_THROW(jobs::Scheduler({.worker_count = 5, .deadlock_after = 1h}), std::system_error)
      << "no watchdog";
  threads_left = 5;
  EXPECT_THROW(jobs::Scheduler({.worker_count = 6, .bind_caller = true, .stall_after = 1h}),
               std::system_error);
  threads_left = 5;
  // The thread can be bound again.
  jobs::Scheduler scheduler({.worker_count = 6, .bind_caller = true});
  EXPECT_EQ(scheduler.run([] { return 1; }), 1);
}

// Returns the text of the error of a call that may start `granted` threads.
template <class F>
std::string error_of(int granted, F&& f) {
  threads_left = granted;
  std::string text;
  try {
    f();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::resource_unavailable_try_again);
    text = error.what();
  }
  threads_left = 1'000'000;
  return text;
}

constexpr const char* kLimits =
    "raise a limit (ulimit -u, ulimit -v, pids.max, "
    "kernel.threads-max)";

TEST(Threads, ThatCannotBeStartedSayWhatForAndWhatToDo) {
  const std::string what = std::string("jobs: no thread for ");
  EXPECT_THAT(error_of(3, [] { jobs::Scheduler({.worker_count = 5}); }),
              testing::StartsWith(what + "worker 3 of 5: " + kLimits +
                                  ", or lower worker_count or JOBS_NUM_WORKERS: "));
  EXPECT_THAT(error_of(5, [] { jobs::Scheduler({.worker_count = 5, .deadlock_after = 1h}); }),
              testing::StartsWith(what + "the watchdog: " + kLimits + ", or do without "));
  EXPECT_THAT(error_of(0,
                       [] {
                         jobs::Scheduler({.worker_count = 1,
                                          .worker_cpus = [](unsigned) { return std::vector{0u}; }});
                       }),
              testing::StartsWith(what + "the check of worker_cpus: " + kLimits + ", or do "));
  jobs::Scheduler scheduler({.worker_count = 1});
  EXPECT_THAT(error_of(0, [&] { scheduler.run([] { jobs::blocking([] {}); }); }),
              testing::StartsWith(what + "blocking(): " + kLimits + ": "));
  EXPECT_THAT(error_of(0, [] { jobs::dump_on_signal(SIGQUIT); }),
              testing::StartsWith(what + "dump_on_signal(): " + kLimits + ": "));
  jobs::dump_on_signal(SIGQUIT);
}

// A job waits on a vacant worker, and the shutdown cannot start the thread of that worker.
TEST(Threads, OfVacantWorkersThatCannotBeStartedDelayAShutdown) {
  jobs::Scheduler scheduler({.worker_count = 3, .bound_threads = 2});
  std::atomic<int> ran{0};
  for (unsigned i = 0; i < 2; ++i) scheduler.spawn([&] { ++ran; }, {.on = jobs::worker(i)});
  testing::internal::CaptureStderr();
  for (int granted = 0; granted < 2; ++granted) {
    threads_left = granted;
    EXPECT_FALSE(scheduler.shutdown_for(20ms)) << granted;
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::StartsWith("jobs: a shutdown tries again to start the thread of "
                                        "vacant worker 0: Resource temporarily unavailable"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_LE(ran, 1);
  threads_left = 1'000'000;
  scheduler.shutdown();
  EXPECT_EQ(ran, 2);
}

#if defined(JOBS_TEST_WITH_IO)
TEST(Threads, OfIoThatCannotBeStartedLeavesNoDescriptor) {
  const auto lowest_free_descriptor = [] {
    const int fd = ::dup(0);
    ::close(fd);
    return fd;
  };
  const int before = lowest_free_descriptor();
  EXPECT_THAT(error_of(0, [] { static_cast<void>(jobs::io::backend()); }),
              testing::StartsWith(std::string("jobs: no thread for jobs::io: ") + kLimits + ": "));
  EXPECT_EQ(lowest_free_descriptor(), before);
  static_cast<void>(jobs::io::backend());
}
#endif

}  // namespace
