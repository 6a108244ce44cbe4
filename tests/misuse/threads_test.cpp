// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that cannot be started: this program's pthread_create() fails on request.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "jobs/scheduler.hpp"

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

}  // namespace
