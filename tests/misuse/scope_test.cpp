// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Violations of the contract by scopes of a thread: SchedulerScope.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/spin_lock.hpp"

namespace {

struct ScopeDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

std::string line(const std::string& type, const std::string& rule, const std::string& where) {
  return "jobs: " + type + " 0x[0-9a-f]+: " + rule + " \\[" + where + "\\]\n";
}

// A binding that can end early.
struct Bound {
  explicit Bound(jobs::Scheduler& scheduler) : binding(scheduler.bind_current_thread()) {}
  jobs::ThreadBinding binding;
};

// Hides the mistake from the thread-safety analysis of Clang.
void take(jobs::SpinLock& lock) JOBS_NO_THREAD_SAFETY_ANALYSIS { lock.lock(); }

TEST_F(ScopeDeathTest, OuterScopeThatEndsFirst) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        std::optional<jobs::SchedulerScope> outer(std::in_place, scheduler);
        const jobs::SchedulerScope inner(scheduler);
        outer.reset();
      },
      line("SchedulerScope", "ended before an inner scope, or on another thread",
           "external thread"));
}

TEST_F(ScopeDeathTest, ScopeThatEndsOnAnotherThread) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        auto scope = std::make_unique<jobs::SchedulerScope>(scheduler);
        std::jthread([&] { scope.reset(); }).join();
      },
      line("SchedulerScope", "ended before an inner scope, or on another thread",
           "external thread"));
}

TEST_F(ScopeDeathTest, ScopeThatEndsInALoop) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        auto scope = std::make_unique<jobs::SchedulerScope>(scheduler);
        const auto caller = std::this_thread::get_id();
        jobs::parallel_for(0, 1, [&](int) {
          if (std::this_thread::get_id() == caller) scope.reset();
        });
      },
      line("SchedulerScope", "ended inside of a job or loop", ".*"));
}

TEST_F(ScopeDeathTest, ScopeThatOutlivesItsScheduler) {
  EXPECT_DEATH(
      {
        auto scheduler =
            std::make_unique<jobs::Scheduler>(jobs::SchedulerOptions{.worker_count = 1});
        const jobs::SchedulerScope scope(*scheduler);
        scheduler.reset();
      },
      line("Scheduler", "destroyed before one of its SchedulerScopes", "external thread"));
}

TEST_F(ScopeDeathTest, OuterBindingThatEndsFirst) {
  EXPECT_DEATH(
      {
        jobs::Scheduler a({.worker_count = 1, .bound_threads = 1});
        jobs::Scheduler b({.worker_count = 1, .bound_threads = 1});
        auto outer = std::make_unique<Bound>(a);
        const jobs::ThreadBinding inner = b.bind_current_thread();
        outer.reset();
      },
      line("Scheduler", "a thread was unbound by another thread, or in the wrong order",
           "worker 0"));
}

TEST_F(ScopeDeathTest, BindingThatEndsOnAnotherThread) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
        auto bound = std::make_unique<Bound>(scheduler);
        std::jthread([&] { bound.reset(); }).join();
      },
      line("Scheduler", "a thread was unbound by another thread, or in the wrong order",
           "external thread"));
}

TEST_F(ScopeDeathTest, BindingThatEndsInAJob) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
        auto bound = std::make_unique<Bound>(scheduler);
        jobs::Counter done;
        jobs::spawn(done, [&] { bound.reset(); });
        done.wait();
      },
      line("Scheduler", "a thread was unbound by a job", "fiber [0-9]+, worker 0"));
}

TEST_F(ScopeDeathTest, BindingThatEndsUnderASpinLock) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
        auto bound = std::make_unique<Bound>(scheduler);
        jobs::SpinLock lock;
        take(lock);
        bound.reset();
      },
      line("Scheduler", "a thread was unbound while it held a SpinLock", "worker 0"));
}

TEST_F(ScopeDeathTest, ThreadThatEndsWhileItIsBound) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
        std::unique_ptr<Bound> bound;
        std::jthread([&] { bound = std::make_unique<Bound>(scheduler); }).join();
      },
      line("Scheduler", "a thread ended while it was bound", "worker 0"));
}

TEST_F(ScopeDeathTest, SchedulerThatEndsWhileAThreadIsBound) {
  EXPECT_DEATH(
      {
        auto scheduler = std::make_unique<jobs::Scheduler>(
            jobs::SchedulerOptions{.worker_count = 1, .bound_threads = 1});
        const jobs::ThreadBinding binding = scheduler->bind_current_thread();
        scheduler.reset();
      },
      line("Scheduler", "shut down while a thread is bound", "worker 0"));
}

TEST_F(ScopeDeathTest, ScopeThatEndsInsideOfABinding) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
        std::optional<jobs::SchedulerScope> scope(std::in_place, scheduler);
        const jobs::ThreadBinding binding = scheduler.bind_current_thread();
        scope.reset();
      },
      line("SchedulerScope", "ended inside of a job or loop", "worker 0"));
}

}  // namespace
