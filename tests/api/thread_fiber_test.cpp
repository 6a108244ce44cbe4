// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadFiber: bound and external threads that others suspend and resume by reference.
#include "jobs/thread_fiber.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberRef;
using jobs::FiberState;
using jobs::ThreadFiber;
using jobs::test::code_of;
namespace this_fiber = jobs::this_fiber;

// The thread is an external one, beside a scheduler.
class ThreadFiberTest : public testing::TestWithParam<unsigned> {
 protected:
  jobs::Scheduler scheduler_{{.worker_count = GetParam()}};
  const jobs::SchedulerScope scope_{scheduler_};
};
INSTANTIATE_TEST_SUITE_P(Workers, ThreadFiberTest, testing::Values(1u, 2u, 4u, 16u));

// The thread is the bound one of a scheduler.
class BoundThreadFiber : public testing::TestWithParam<unsigned> {
 protected:
  jobs::Scheduler scheduler_{{.worker_count = GetParam(), .bind_caller = true}};
};
INSTANTIATE_TEST_SUITE_P(Workers, BoundThreadFiber, testing::Values(1u, 2u, 4u, 16u));

// The example of Ruby's Fiber#transfer: a manager and a worker pass control and values to each
// other; the manager is the thread of the program.
std::vector<std::string> transfer() {
  std::vector<std::string> log;
  const ThreadFiber main("manager");
  const FiberRef manager = main;
  jobs::Fiber<> worker(
      [&] {
        for (;;) {
          const auto work = this_fiber::suspend<std::string>();
          log.push_back("worker: " + work);
          if (work == "end") return;
          EXPECT_TRUE(manager.schedule(work + " done"));
        }
      },
      {.start = jobs::FiberStart::kSuspended});
  for (const char* work : {"first", "second", "third"}) {
    EXPECT_TRUE(worker.schedule(std::string(work)));
    log.push_back("manager: " + this_fiber::suspend<std::string>());
  }
  worker.schedule(std::string("end"));
  worker.join();
  return log;
}

const std::vector<std::string> kTransferred = {
    "worker: first", "manager: first done", "worker: second", "manager: second done",
    "worker: third", "manager: third done", "worker: end"};

void is_resumed_by_reference() {
  const ThreadFiber main;
  const FiberRef ref = main;
  EXPECT_EQ(this_fiber::id(), ref.id());
  EXPECT_EQ(this_fiber::ref().id(), ref.id());
  EXPECT_EQ(jobs::find_fiber(ref.id()).id(), ref.id());
  EXPECT_EQ(ref.state(), FiberState::kRunning);
  EXPECT_FALSE(ref.schedule()) << "it runs";

  std::atomic<bool> seen_waiting{false};
  jobs::Counter done;
  jobs::spawn(done, [&] {
    while (ref.state() != FiberState::kWaiting) jobs::yield();
    seen_waiting = true;
    EXPECT_TRUE(ref.schedule());
  });
  this_fiber::suspend();
  EXPECT_TRUE(seen_waiting);
  EXPECT_FALSE(this_fiber::suspend_for(1ms)) << "no thread resumes it";
  done.wait();

  std::jthread([ref] { EXPECT_TRUE(ref.schedule(7)); }).join();
  EXPECT_EQ(this_fiber::suspend<int>(), 7);
}

void is_interrupted_and_stopped() {
  const ThreadFiber main;
  const FiberRef ref = main;
  jobs::Event never;
  jobs::Counter done;
  jobs::spawn(done, [ref] {
    while (ref.state() != FiberState::kWaiting) jobs::yield();
    ref.schedule_exception(std::make_exception_ptr(std::runtime_error("from a job")));
  });
  EXPECT_THROW(never.wait(), std::runtime_error);
  done.wait();
  EXPECT_TRUE(ref.request_stop());
  EXPECT_TRUE(this_fiber::stop_token().stop_requested());
  EXPECT_THROW(never.wait(), jobs::Cancelled);
}

void ends() {
  FiberRef ref;
  jobs::Event open;
  jobs::Counter joined;
  {
    const ThreadFiber main;
    ref = main;
    jobs::spawn(joined, [&] {
      open.signal();
      ref.wait();
    });
    open.wait();
    ref.schedule(1);                                             // refused: it runs
    std::jthread([&] { EXPECT_TRUE(ref.schedule(2)); }).join();  // dropped with the scope
  }
  joined.wait();
  EXPECT_EQ(ref.state(), FiberState::kDead);
  EXPECT_FALSE(ref.schedule());
  EXPECT_EQ(code_of([] { this_fiber::suspend(); }), jobs::ErrorCode::kBadArgument);
  const ThreadFiber again;
  EXPECT_NE(FiberRef(again).id(), ref.id());
}

void locks_and_loops() {
  jobs::Mutex mutex;
  mutex.lock();
  {
    const ThreadFiber main("main");
    mutex.unlock();
    mutex.lock();
    std::atomic<int> sum{0};
    jobs::parallel_for(0, 1000, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 499500);
    EXPECT_EQ(jobs::cancel_after(1s, [] { return 3; }), 3);
  }
  mutex.unlock();
}

TEST(ThreadFiberTime, IsNotAccounted) {
  jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true, .account_run_time = true});
  const ThreadFiber main("main");
  jobs::yield();
  this_fiber::sleep_for(1ms);
  jobs::Fiber<> other([] { jobs::yield(); });
  other.join();
  EXPECT_EQ(FiberRef(main).info().run_time, 0ns);
}

TEST_P(ThreadFiberTest, TransfersControlToAndFro) { EXPECT_EQ(transfer(), kTransferred); }
TEST_P(BoundThreadFiber, TransfersControlToAndFro) { EXPECT_EQ(transfer(), kTransferred); }
TEST_P(ThreadFiberTest, IsSuspendedAndResumedByReference) { is_resumed_by_reference(); }
TEST_P(BoundThreadFiber, IsSuspendedAndResumedByReference) { is_resumed_by_reference(); }
TEST_P(ThreadFiberTest, IsInterruptedAndStopped) { is_interrupted_and_stopped(); }
TEST_P(BoundThreadFiber, IsInterruptedAndStopped) { is_interrupted_and_stopped(); }
TEST_P(ThreadFiberTest, EndsWithItsScope) { ends(); }
TEST_P(BoundThreadFiber, EndsWithItsScope) { ends(); }
TEST_P(ThreadFiberTest, LeavesLocksAndLoopsAsTheyAre) { locks_and_loops(); }
TEST_P(BoundThreadFiber, LeavesLocksAndLoopsAsTheyAre) { locks_and_loops(); }

TEST_P(BoundThreadFiber, ServesJobsWhileItIsSuspended) {
  const ThreadFiber main;
  const FiberRef ref = main;
  const auto here = std::this_thread::get_id();
  std::thread::id ran;
  jobs::spawn(
      [&] {
        ran = std::this_thread::get_id();
        ref.schedule();
      },
      {.on = jobs::main_thread});
  this_fiber::suspend();
  EXPECT_EQ(ran, here);
}

TEST(ThreadFiberMisuse, IsRefusedInJobsAndFibersAndTwice) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  const auto make = [] { const ThreadFiber twice; };
  EXPECT_EQ(scheduler.run([&] { return code_of(make); }), jobs::ErrorCode::kBadArgument);
  scheduler.run([&] {
    jobs::Fiber<> fiber([&] { EXPECT_EQ(code_of(make), jobs::ErrorCode::kBadArgument); });
    fiber.join();
  });
  const ThreadFiber main;
  EXPECT_EQ(code_of(make), jobs::ErrorCode::kBadArgument);
}

}  // namespace
