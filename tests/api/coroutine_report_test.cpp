// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports of tasks that wait: the object, the places of the co_awaits, and the watchdog.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/coroutine.hpp"
#include "jobs/fiber.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Event;
using jobs::Report;
using jobs::Task;
using jobs::TaskReport;
using jobs::WaitKind;

constexpr auto kPatient = 1h;

unsigned line_here(std::source_location where = std::source_location::current()) {
  return where.line();
}

class ReportedTasks : public testing::TestWithParam<unsigned> {
 protected:
  // Makes reports after a rest of `rest`.
  jobs::SchedulerOptions reporting(std::chrono::milliseconds rest) {
    return {.worker_count = GetParam(),
            .deadlock_after = rest,
            .on_report = [this](const Report& report) {
              if (!reported_.is_set()) first_ = report;
              reported_.signal();
            }};
  }
  // The first report of the watchdog.
  Report await_report() {
    reported_.wait();
    return first_;
  }

 private:
  Report first_;
  Event reported_;
};
INSTANTIATE_TEST_SUITE_P(Workers, ReportedTasks, testing::Values(1, 2, 4, 16));

// Waits until `count` tasks wait for something.
Report report_of(jobs::Scheduler& scheduler, std::size_t count) {
  for (;;) {
    Report report = scheduler.report(kPatient);
    if (report.tasks.size() == count) return report;
  }
}

std::atomic<unsigned> wait_line = 0, await_line = 0;

Task<> inner(Event& event) {
  wait_line = line_here() + 1;
  co_await event;
}

Task<> outer(Event& event) {
  await_line = line_here() + 1;
  co_await inner(event);
}

TEST_P(ReportedTasks, HaveTheirObjectAndThePlacesOfTheirCoAwaits) {
  jobs::Scheduler scheduler(reporting(kPatient));
  Event event;
  jobs::Counter counter;
  scheduler.run([&] { jobs::start(counter, outer(event)); });
  const Report report = report_of(scheduler, 1);
  EXPECT_EQ(report.waiting_tasks, 1u);
  EXPECT_EQ(report.waiting_jobs, 0u);
  const TaskReport& task = report.tasks[0];
  EXPECT_EQ(task.waits_for, WaitKind::kEvent);
  EXPECT_EQ(task.object, &event);
  ASSERT_EQ(task.sites.size(), 2u);
  EXPECT_THAT(task.sites[0].file_name(), testing::EndsWith("coroutine_report_test.cpp"));
  EXPECT_EQ(task.sites[0].line(), wait_line);
  EXPECT_EQ(task.sites[1].line(), await_line);
  EXPECT_THAT(report.text(),
              testing::ContainsRegex("jobs:   a task waits for event 0x[0-9a-f]+ at .*"
                                     "coroutine_report_test.cpp:[0-9]+, awaited at .*"
                                     "coroutine_report_test.cpp:[0-9]+\n"));
  event.signal();
  counter.wait();
  EXPECT_EQ(scheduler.report(kPatient).waiting_tasks, 0u);
}

TEST_P(ReportedTasks, NameEachKindOfWait) {
  jobs::Scheduler scheduler(reporting(kPatient));
  Event event;
  jobs::Latch latch(1);
  jobs::Barrier<> barrier(2);
  jobs::Semaphore semaphore(0);
  jobs::Mutex mutex, free_mutex;
  jobs::SharedMutex shared;
  jobs::ConditionVariable condition;
  jobs::Channel<int> channel(1);
  jobs::Counter outstanding(1), counter;
  scheduler.run([&] {
    mutex.lock();
    shared.lock();
    jobs::Fiber<> fiber([&] { event.wait(); });
    const auto on_latch = [&]() -> Task<> { co_await latch; };
    const auto on_barrier = [&]() -> Task<> { co_await barrier; };
    const auto on_semaphore = [&]() -> Task<> { co_await semaphore; };
    const auto on_mutex = [&]() -> Task<> { static_cast<void>(co_await mutex); };
    const auto on_writer = [&]() -> Task<> { static_cast<void>(co_await shared); };
    const auto on_condition = [&]() -> Task<> {
      jobs::TaskLock lock = co_await free_mutex;
      co_await jobs::this_task::wait(condition, lock);
    };
    const auto on_channel = [&]() -> Task<> { co_await jobs::this_task::pop(channel); };
    const auto on_counter = [&]() -> Task<> { co_await outstanding; };
    const auto on_fiber = [&]() -> Task<> { co_await fiber; };
    const auto on_select = [&]() -> Task<> {
      co_await jobs::this_task::select(event.on_signal(), latch.on_zero());
    };
    const auto on_sleep = [&]() -> Task<> { co_await jobs::this_task::sleep_for(20ms); };
    jobs::start(counter, on_latch());
    jobs::start(counter, on_barrier());
    jobs::start(counter, on_semaphore());
    jobs::start(counter, on_mutex());
    jobs::start(counter, on_writer());
    jobs::start(counter, on_condition());
    jobs::start(counter, on_channel());
    jobs::start(counter, on_counter());
    jobs::start(counter, on_fiber());
    jobs::start(counter, on_select());
    std::vector<WaitKind> kinds;
    while (kinds.size() != 10) {
      jobs::yield();
      kinds.clear();
      for (const TaskReport& task : scheduler.report(kPatient).tasks)
        kinds.push_back(task.waits_for);
    }
    EXPECT_THAT(kinds,
                testing::UnorderedElementsAre(
                    WaitKind::kLatch, WaitKind::kBarrier, WaitKind::kSemaphore, WaitKind::kMutex,
                    WaitKind::kSharedMutex, WaitKind::kConditionVariable, WaitKind::kChannel,
                    WaitKind::kCounter, WaitKind::kJoin, WaitKind::kSelect));
    mutex.unlock();
    shared.unlock();
    latch.count_down();
    static_cast<void>(barrier.arrive());
    semaphore.release();
    channel.close();
    outstanding.done();
    event.signal();
    {
      // The report may show the wait before the task is in the queue; the task owns the mutex then.
      const std::scoped_lock lock(free_mutex);
      condition.notify_all();
    }
    jobs::sync_wait(on_sleep());
    counter.wait();
    EXPECT_EQ(scheduler.report(kPatient).waiting_tasks, 0u);
  });
}

std::atomic<bool> is_computing{false}, may_end{false};

Task<> compute_until_it_may_end() {
  is_computing = true;
  while (!may_end) std::this_thread::yield();
  co_return;
}

// The worker that runs the task does not answer, so the report has what the worker has noted.
TEST_P(ReportedTasks, ThatKeepAWorkerHaveTheirFunction) {
  jobs::Scheduler scheduler(reporting(kPatient));
  is_computing = may_end = false;
  jobs::Counter counter;
  scheduler.run([&] { jobs::start(counter, compute_until_it_may_end()); });
  while (!is_computing) std::this_thread::yield();
  const Report report = scheduler.report(1ms);
  const auto keeps = [](const jobs::WorkerReport& worker) {
    return worker.function != nullptr &&
           jobs::os::describe_address(worker.function).find("compute_until_it_may_end") !=
               std::string::npos;
  };
  EXPECT_EQ(std::count_if(report.workers.begin(), report.workers.end(), keeps), 1);
  EXPECT_THAT(report.text(), testing::Not(testing::HasSubstr("TaskBegin")));
  may_end = true;
  counter.wait();
}

TEST_P(ReportedTasks, ThatWaitForEachOtherAreADeadlock) {
  jobs::Scheduler scheduler(reporting(5ms));
  Event event;
  jobs::Counter counter;
  scheduler.run([&] { jobs::start(counter, outer(event)); });
  const Report report = await_report();
  EXPECT_EQ(report.reason, Report::Reason::kDeadlock);
  ASSERT_EQ(report.tasks.size(), 1u);
  EXPECT_EQ(report.tasks[0].object, &event);
  event.signal();
  counter.wait();
}

TEST_P(ReportedTasks, AreTheLatestOnesOfVeryMany) {
  jobs::Scheduler scheduler(reporting(kPatient));
  Event event;
  jobs::Counter counter;
  scheduler.run([&] {
    for (int i = 0; i < 1500; ++i) jobs::start(counter, inner(event));
  });
  Report report = scheduler.report(kPatient);
  while (report.waiting_tasks != 1500) report = scheduler.report(kPatient);
  EXPECT_EQ(report.tasks.size(), 1000u);
  EXPECT_THAT(report.text(), testing::HasSubstr("jobs:   and 500 more tasks wait\n"));
  event.signal();
  counter.wait();
}

TEST_P(ReportedTasks, AreNotListedWithoutTheOption) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  Event event;
  jobs::Counter counter;
  scheduler.run([&] { jobs::start(counter, outer(event)); });
  const Report report = scheduler.report(kPatient);
  EXPECT_EQ(report.waiting_tasks, 0u);
  EXPECT_TRUE(report.tasks.empty());
  event.signal();
  counter.wait();
}

}  // namespace
