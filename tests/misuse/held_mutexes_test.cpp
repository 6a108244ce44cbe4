// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// In builds with JOBS_CHECK_MUTEXES, a fiber that waits while it owns a mutex of the system is
// named, and no other fiber.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"

namespace {

// The output of a scheduler with one worker while it runs `job`.
std::string said_by(const std::function<void()>& job) {
  testing::internal::CaptureStderr();
  {
    jobs::Scheduler scheduler({.worker_count = 1});
    scheduler.run(job);
  }
  return testing::internal::GetCapturedStderr();
}

// Waits for a job that the only worker can run only after the caller has suspended.
void wait() {
  jobs::Event event;
  jobs::spawn([&] { event.signal(); });
  event.wait();
}

std::size_t lines(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

constexpr const char* kNamed = "while it holds the system's mutex 0x";

TEST(HeldMutexes, AreNamedWhereTheirFiberWaits) {
  std::mutex mutex;
  const std::string said = said_by([&] {
    const std::lock_guard lock(mutex);
    wait();
  });
  EXPECT_EQ(lines(said, kNamed), 1U) << said;
  EXPECT_EQ(lines(said, "worker 0, waits or ends"), 1U) << said;
#if !defined(JOBS_BOOST_CONTEXT)
  // Back-traces need the library's own context switch.
  EXPECT_GE(lines(said, "jobs:     #"), 3U) << said;
#endif
}

TEST(HeldMutexes, OfAllKindsAreNamed) {
  std::timed_mutex timed;
  std::recursive_mutex recursive;
  const std::string said = said_by([&] {
    const std::unique_lock first(timed, std::chrono::seconds(1));
    const std::unique_lock second(recursive, std::try_to_lock);
    wait();
  });
  EXPECT_EQ(lines(said, kNamed), 2U) << said;
}

TEST(HeldMutexes, AreNamedWithTheFiberThatEndsWithThem) {
  std::mutex mutex;
  const std::string said = said_by([&] {
    jobs::Fiber<> fiber([&] { mutex.lock(); }, {.name = "careless"});
    fiber.join();
    mutex.unlock();
  });
  EXPECT_EQ(lines(said, "\"careless\""), 1U) << said;
}

TEST(HeldMutexes, AreNamedOncePerCallSite) {
  std::mutex mutex;
  const std::string said = said_by([&] {
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard lock(mutex);
      wait();
    }
  });
  EXPECT_EQ(lines(said, kNamed), 1U) << said;
}

TEST(HeldMutexes, AreNotReportedWithoutAWait) {
  std::mutex mutex;
  std::condition_variable changed;
  jobs::Mutex ours;
  const std::string said = said_by([&] {
    {
      std::unique_lock lock(mutex);
      // Blocks the worker, and no fiber is left.
      changed.wait_for(lock, std::chrono::microseconds(10));
    }
    const std::lock_guard lock(ours);
    wait();
  });
  EXPECT_EQ(said, "");
}

TEST(HeldMutexes, OfThreadsOutsideAreNotLookedAt) {
  std::mutex mutex;
  testing::internal::CaptureStderr();
  {
    jobs::Scheduler scheduler({.worker_count = 1});
    const std::lock_guard lock(mutex);
    scheduler.run([&] { wait(); });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
