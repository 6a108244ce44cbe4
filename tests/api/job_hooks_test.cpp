// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobHooks: the begin and the end of each job and wait, and the wrapper around each Fiber.
#include "jobs/job_hooks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/coroutine.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/this_fiber.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberId;
using jobs::WaitKind;

class JobHooksWith : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, JobHooksWith, testing::Values(1u, 2u, 4u, 16u));

class CountingHooks final : public jobs::JobHooks {
 public:
  void on_job_begin(const void* function) noexcept override {
    if (function == nullptr) ++nameless;
    ++begun;
  }
  void on_job_end() noexcept override { ++ended; }
  void on_wait_begin(FiberId fiber, WaitKind kind, const void* object) noexcept override {
    const std::scoped_lock lock(mutex);
    ++begins[{kind, object}];
    ++open[fiber];
  }
  void on_wait_end(FiberId fiber) noexcept override {
    const std::scoped_lock lock(mutex);
    ++ends;
    --open[fiber];
  }

  // Sleeps until the hooks have seen `count` sleeps. A sleep is no wait if its end has passed
  // before it starts.
  void await_sleeps(int count) {
    for (int tries = 0; tries < 1000 && sleeps() < count; ++tries) jobs::this_fiber::sleep_for(2ms);
  }
  int sleeps() {
    const std::scoped_lock lock(mutex);
    return begins[{WaitKind::kSleep, nullptr}];
  }

  std::atomic<int> begun{0}, ended{0}, nameless{0};
  std::mutex mutex;
  std::map<std::pair<WaitKind, const void*>, int> begins;
  std::map<FiberId, int> open;
  int ends = 0;
};

TEST_P(JobHooksWith, SeeTheBeginAndTheEndOfEachJob) {
  constexpr int kJobs = 500;
  CountingHooks hooks;
  {
    jobs::Scheduler scheduler({.worker_count = GetParam(), .job_hooks = &hooks});
    scheduler.run([&hooks] {
      EXPECT_GE(hooks.begun - hooks.ended, 1) << "this job has begun";
      jobs::Counter done;
      for (int i = 0; i < kJobs; ++i) jobs::spawn(done, [] {});
      done.wait();
    });
  }
  EXPECT_EQ(hooks.begun, kJobs + 1);
  EXPECT_EQ(hooks.ended, hooks.begun);
  EXPECT_EQ(hooks.nameless, 0);
}

class NamingHooks final : public jobs::JobHooks {
 public:
  void on_job_begin(const void* function) noexcept override {
    const std::scoped_lock lock(mutex);
    functions.insert(function);
  }
  // Returns the number of functions whose name contains that text.
  std::ptrdiff_t named(std::string_view text) const {
    return std::count_if(functions.begin(), functions.end(), [text](const void* function) {
      return jobs::os::describe_address(function).find(text) != std::string::npos;
    });
  }

  std::mutex mutex;
  std::set<const void*> functions;
};

jobs::Task<> wait_in_a_coroutine(jobs::Event& event) { co_await event; }

TEST_P(JobHooksWith, NameTheFunctionsOfCoroutines) {
  NamingHooks hooks;
  {
    jobs::Scheduler scheduler({.worker_count = GetParam(), .job_hooks = &hooks});
    scheduler.run([] {
      jobs::Event event;
      jobs::Counter done;
      jobs::start(done, wait_in_a_coroutine(event));
      event.signal();
      done.wait();
    });
  }
  EXPECT_EQ(hooks.named("wait_in_a_coroutine"), 1);
  EXPECT_EQ(hooks.named("TaskBegin"), 0);
  EXPECT_EQ(hooks.named("TaskWait"), 0);
}

TEST_P(JobHooksWith, SeeCriticalJobsBetweenThePartsOfALoop) {
  CountingHooks hooks;
  std::atomic<bool> ran{false};
  {
    jobs::Scheduler scheduler({.worker_count = GetParam(), .job_hooks = &hooks});
    jobs::Counter done;
    std::atomic<bool> in_loop{false};
    scheduler.spawn(done, [&] {
      jobs::parallel_for(0, 4096, [&](int) {
        in_loop = true;
        const auto end = std::chrono::steady_clock::now() + 10us;
        while (std::chrono::steady_clock::now() < end && !ran) {
        }
      });
    });
    while (!in_loop) std::this_thread::yield();
    scheduler.spawn(done, [&] { ran = true; }, {.priority = jobs::Priority::kCritical});
    done.wait();
  }
  EXPECT_TRUE(ran);
  EXPECT_GE(hooks.begun, 2);
  EXPECT_EQ(hooks.ended, hooks.begun);
}

TEST_P(JobHooksWith, NameTheObjectOfEachWaitAndSeeItsEnd) {
  constexpr int kWaits = 7;
  CountingHooks hooks;
  jobs::Semaphore turns(0);
  jobs::Event open;
  {
    jobs::Scheduler scheduler({.worker_count = GetParam(), .job_hooks = &hooks});
    scheduler.run([&] {
      jobs::Fiber<> fiber([&] {
        for (int i = 0; i < kWaits; ++i) turns.acquire();
        jobs::yield();  // no wait
        hooks.await_sleeps(1);
      });
      for (int i = 0; i < kWaits; ++i) {
        while (fiber.state() != jobs::FiberState::kWaiting) jobs::yield();
        turns.release();
      }
      fiber.join();
      jobs::Counter done;
      std::atomic<int> at_the_event{0};
      for (int i = 0; i < 10; ++i) {
        jobs::spawn(done, [&] {
          ++at_the_event;
          open.wait();
        });
      }
      while (at_the_event != 10) jobs::yield();
      hooks.await_sleeps(2);
      open.signal();
      done.wait();
    });
  }
  EXPECT_LE((hooks.begins[{WaitKind::kSemaphore, &turns}]), kWaits);
  EXPECT_GE((hooks.begins[{WaitKind::kSemaphore, &turns}]), GetParam() == 1 ? kWaits : 1);
  EXPECT_LE((hooks.begins[{WaitKind::kEvent, &open}]), 10);
  if (GetParam() == 1) {
    EXPECT_EQ((hooks.begins[{WaitKind::kEvent, &open}]), 10);
  }
  EXPECT_GE((hooks.begins[{WaitKind::kSleep, nullptr}]), 2);
  int all = 0;
  for (const auto& [site, count] : hooks.begins) {
    EXPECT_NE(site.first, WaitKind::kNothing);
    all += count;
  }
  EXPECT_EQ(hooks.ends, all);
  for (const auto& [fiber, count] : hooks.open) EXPECT_EQ(count, 0) << "of a fiber";
}

// Counts the Fibers that it wraps, and the exceptions that pass through it.
class WrappingHooks final : public jobs::JobHooks {
 public:
  void around_fiber(FiberId fiber, jobs::FiberFunction& body) override {
    EXPECT_EQ(fiber, jobs::this_fiber::id());
    ++begun;
    jobs::yield();  // The wrapper is a part of the Fiber.
    try {
      body();
    } catch (const std::runtime_error&) {
      ++failed;
      throw;
    }
    ++ended;
  }

  std::atomic<int> begun{0}, ended{0}, failed{0};
};

TEST_P(JobHooksWith, WrapTheFunctionOfEachFiber) {
  WrappingHooks hooks;
  {
    jobs::Scheduler scheduler(
        {.worker_count = GetParam(), .measure_stacks = 1, .job_hooks = &hooks});
    scheduler.run([] {
      jobs::Fiber answer([] { return 42; });
      jobs::Fiber<> small([] {}, {.stack_size = 16 * 1024});
      jobs::Fiber<> now([] {}, {.start = jobs::FiberStart::kNow});
      jobs::Fiber<> fails([] { throw std::runtime_error("of the fiber"); });
      EXPECT_EQ(answer.join(), 42);
      small.join();
      now.join();
      EXPECT_THROW(fails.join(), std::runtime_error);
    });
  }
  EXPECT_EQ(hooks.begun, 4);
  EXPECT_EQ(hooks.ended, 3);
  EXPECT_EQ(hooks.failed, 1);
}

TEST(JobHooks, ServeSeveralSchedulers) {
  CountingHooks hooks;
  {
    jobs::Scheduler first({.worker_count = 1, .job_hooks = &hooks});
    jobs::Scheduler second({.worker_count = 2, .job_hooks = &hooks});
    first.run([] {});
    second.run([] {});
  }
  EXPECT_EQ(hooks.begun, 2);
  EXPECT_EQ(hooks.ended, 2);
}

TEST(JobHooks, ComeWithTheHooksOfSwitches) {
  CountingHooks hooks;
  std::atomic<int> suspended{0}, resumed{0};
  {
    jobs::Scheduler scheduler({.worker_count = 1,
                               .on_suspend = [&](FiberId) { ++suspended; },
                               .on_resume = [&](FiberId) { ++resumed; },
                               .job_hooks = &hooks});
    // The only worker runs the spawned job when this job waits.
    scheduler.run([] {
      jobs::Event open;
      jobs::spawn([&open] { open.signal(); });
      open.wait();
    });
  }
  EXPECT_EQ(suspended, 1);
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(hooks.ends, 1);
}

class JobHooksDeathTest : public testing::Test {
 protected:
  JobHooksDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Calls the body `calls` times.
class WrongHooks final : public jobs::JobHooks {
 public:
  explicit WrongHooks(int calls) : calls_(calls) {}
  void around_fiber(FiberId /*fiber*/, jobs::FiberFunction& body) override {
    for (int i = 0; i < calls_; ++i) body();
  }

 private:
  const int calls_;
};

void run_a_fiber_with(int calls) {
  WrongHooks hooks(calls);
  jobs::Scheduler scheduler({.worker_count = 1, .job_hooks = &hooks});
  scheduler.run([] { jobs::Fiber<>([] {}).join(); });
}

TEST_F(JobHooksDeathTest, AWrapperThatLeavesTheFiberOutAborts) {
  EXPECT_DEATH(run_a_fiber_with(0), "jobs: JobHooks .*around_fiber\\(\\) returned, but the body");
}

TEST_F(JobHooksDeathTest, AWrapperThatCallsTheFiberTwiceAborts) {
  EXPECT_DEATH(run_a_fiber_with(2), "jobs: JobHooks .*around_fiber\\(\\) called the body twice");
}

}  // namespace
