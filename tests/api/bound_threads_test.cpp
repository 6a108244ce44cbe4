// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that the program owns: bound to schedulers at any time, nested, and unbound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/standard_error.hpp"

namespace {

using jobs::test::code_of;

using namespace std::chrono_literals;

template <class F>
void on_new_thread(F&& f) {
  std::jthread(std::forward<F>(f)).join();
}

struct Shape {
  unsigned workers;
  unsigned bound;
};

void PrintTo(const Shape& shape, std::ostream* stream) {
  *stream << shape.workers << " workers, " << shape.bound << " for bound threads";
}

class BoundThreads : public testing::TestWithParam<Shape> {
 protected:
  jobs::SchedulerOptions options() const {
    return {.worker_count = GetParam().workers, .bound_threads = GetParam().bound};
  }
  unsigned bound() const { return GetParam().bound; }
  bool has_own_threads() const { return GetParam().workers > GetParam().bound; }
};
INSTANTIATE_TEST_SUITE_P(Shapes, BoundThreads,
                         testing::Values(Shape{1, 1}, Shape{2, 1}, Shape{2, 2}, Shape{4, 2},
                                         Shape{4, 4}, Shape{16, 3}, Shape{16, 16}),
                         [](const testing::TestParamInfo<Shape>& at) {
                           return std::to_string(at.param.workers) + "Bound" +
                                  std::to_string(at.param.bound);
                         });

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

TEST_P(BoundThreads, AreWorkersWhileTheyAreBound) {
  jobs::Scheduler scheduler(options());
  on_new_thread([&] {
    EXPECT_EQ(jobs::worker_index(), std::nullopt);
    {
      const jobs::ThreadBinding binding = scheduler.bind_current_thread();
      EXPECT_EQ(jobs::worker_index(), std::optional(binding.worker_index()));
      EXPECT_LT(binding.worker_index(), bound());
      EXPECT_EQ(&jobs::Scheduler::current(), &scheduler);
      EXPECT_EQ(fibonacci(15), 610);
      jobs::Counter done;
      std::vector<int> runs(1000);
      for (int& count : runs) jobs::spawn(done, [&count] { ++count; });
      const auto here = std::this_thread::get_id();
      bool is_here = false;
      jobs::spawn(done, [&] { is_here = std::this_thread::get_id() == here; },
                  {.on = jobs::worker(binding.worker_index())});
      done.wait();
      EXPECT_TRUE(is_here);
      for (const int count : runs) EXPECT_EQ(count, 1);
    }
    EXPECT_EQ(jobs::worker_index(), std::nullopt);
    EXPECT_EQ(&jobs::Scheduler::current(), &jobs::default_scheduler());
  });
  if (!has_own_threads()) {
    EXPECT_EQ(scheduler.stats().fibers, 0u) << "fibers refer to the thread that has left";
  }
}

TEST_P(BoundThreads, TakeTheSlotsOneAfterAnother) {
  jobs::Scheduler scheduler(options());
  for (unsigned round = 0; round < 3 * bound(); ++round) {
    on_new_thread([&] {
      const jobs::ThreadBinding binding = scheduler.bind_current_thread();
      EXPECT_EQ(fibonacci(10), 55);
    });
  }
}

TEST_P(BoundThreads, ComeAndGoWhileJobsFlow) {
  const int rounds = jobs::test::scaled(100);
  std::atomic<int> ran{0};
  std::atomic<int> astray{0};
  int submitted = 0;
  {
    jobs::Scheduler scheduler(options());
    std::atomic<bool> over{false};
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < bound(); ++t) {
      threads.emplace_back([&] {
        while (!over) {
          const jobs::ThreadBinding binding = scheduler.bind_current_thread();
          jobs::Counter done;
          for (int i = 0; i < 10; ++i) {
            jobs::spawn(done, [] { jobs::yield(); });
            jobs::spawn([] { jobs::this_fiber::sleep_for(20us); });
          }
          done.wait();
        }
      });
    }
    for (int round = 0; round < rounds; ++round) {
      jobs::Counter done;
      for (unsigned i = 0; i < 20; ++i) {
        const unsigned index = i % scheduler.worker_count();
        scheduler.spawn(done,
                        [&, index] {
                          if (jobs::worker_index() != std::optional(index)) ++astray;
                          jobs::yield();
                          ++ran;
                        },
                        {.on = jobs::worker(index)});
        scheduler.spawn(
            done, [&] { ++ran; },
            {.priority = i % 3 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
        submitted += 2;
      }
      done.wait();
      if (round % 10 == 0) scheduler.trim();
    }
    over = true;
  }
  EXPECT_EQ(ran, submitted);
  EXPECT_EQ(astray, 0);
}

TEST_P(BoundThreads, FindTheJobsThatHaveWaitedForThem) {
  jobs::Scheduler scheduler(options());
  std::atomic<int> ran{0};
  for (unsigned i = 0; i < bound(); ++i) scheduler.spawn([&] { ++ran; }, {.on = jobs::worker(i)});
  std::this_thread::sleep_for(2ms);
  EXPECT_EQ(ran, 0);
  std::atomic<unsigned> arrived{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < bound(); ++i) {
    threads.emplace_back([&] {
      const jobs::ThreadBinding binding = scheduler.bind_current_thread();
      ++arrived;
      while (arrived < bound()) std::this_thread::yield();
    });
  }
  threads.clear();
  EXPECT_EQ(ran, static_cast<int>(bound())) << "a thread that leaves has run them";
}

TEST_P(BoundThreads, LeaveTheirOtherJobsToOtherWorkers) {
  std::atomic<int> ran{0};
  {
    jobs::Scheduler scheduler(options());
    on_new_thread([&] {
      const jobs::ThreadBinding binding = scheduler.bind_current_thread();
      for (int i = 0; i < 1000; ++i) jobs::spawn([&] { ++ran; });
    });
    if (has_own_threads()) {
      while (ran < 1000) std::this_thread::yield();
    }
  }
  EXPECT_EQ(ran, 1000) << "the end of the scheduler runs them, too";
}

TEST_P(BoundThreads, MayBeMissingWhenTheSchedulerEnds) {
  std::atomic<int> ran{0};
  {
    jobs::Scheduler scheduler(options());
    for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
      scheduler.spawn(
          [&, i] {
            if (jobs::worker_index() == std::optional(i)) ++ran;
            jobs::this_fiber::sleep_for(100us);
            jobs::spawn([&] { ++ran; }, {.on = jobs::main_thread});
          },
          {.on = jobs::worker(i)});
    }
  }
  EXPECT_EQ(ran, static_cast<int>(2 * GetParam().workers));
}

TEST_P(BoundThreads, RunTheirFibersToTheEndBeforeTheyLeave) {
  jobs::Scheduler scheduler(options());
  jobs::Event open;
  std::atomic<int> ended{0};
  std::atomic<bool> have_begun{false};
  std::jthread opener([&] {
    while (!have_begun) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);
    open.signal();
  });
  on_new_thread([&] {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    std::atomic<int> begun{0};
    for (int i = 0; i < 20; ++i) {
      jobs::spawn(
          [&] {
            ++begun;
            open.wait();
            jobs::this_fiber::sleep_for(100us);
            ++ended;
          },
          {.on = jobs::worker(binding.worker_index())});
    }
    while (begun < 20) jobs::this_fiber::sleep_for(10us);
    EXPECT_EQ(ended, 0);
    have_begun = true;
  });
  EXPECT_EQ(ended, 20);
}

TEST_P(BoundThreads, ServeAGraphWithAPlace) {
  jobs::Scheduler scheduler(options());
  std::atomic<int> on_main{0};
  std::jthread runner([&] {
    const jobs::SchedulerScope scope(scheduler);
    jobs::TaskGraph graph;
    auto first = graph.node([] {}, "first");
    auto second = graph.node(
        [&] {
          if (jobs::worker_index() == 0u) ++on_main;
        },
        "second");
    second.on(jobs::main_thread);
    first.precede(second);
    for (int i = 0; i < 3; ++i) graph.run();
    ++on_main;
  });
  on_new_thread([&] {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    EXPECT_EQ(binding.worker_index(), 0u);
    while (on_main < 4) scheduler.run_main_thread_jobs();
  });
  EXPECT_EQ(on_main, 4);
}

TEST_P(BoundThreads, KeepJobsAwayThatAreNotForThem) {
  if (!has_own_threads()) GTEST_SKIP() << "the place means anywhere";
  jobs::Scheduler scheduler(options());
  std::atomic<int> astray{0};
  on_new_thread([&] {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    jobs::Counter done;
    for (int i = 0; i < 200; ++i) {
      jobs::spawn(done,
                  [&] {
                    if (*jobs::worker_index() < bound()) ++astray;
                  },
                  {.on = jobs::not_main_thread});
    }
    done.wait();
  });
  EXPECT_EQ(astray, 0);
}

TEST_P(BoundThreads, MissingOnesAnswerForTheScheduler) {
  jobs::Scheduler scheduler(options());
  scheduler.trim();
  for (const jobs::Report& report : jobs::reports(1h)) {
    if (report.workers.size() != GetParam().workers) continue;
    for (const jobs::WorkerReport& worker : report.workers) EXPECT_TRUE(worker.answered);
  }
}

TEST_P(BoundThreads, MayBeFewerThanTheSlots) {
  jobs::Scheduler scheduler(options());
  std::atomic<int> sum{0};
  on_new_thread([&] {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    jobs::parallel_for(0, 10'000, [&](int i) { sum += i % 10; });
  });
  EXPECT_EQ(sum, 45'000);
}

// --- nested --------------------------------------------------------------------------------------

TEST(BoundThread, ServesOneSchedulerAfterAnotherAndNested) {
  jobs::Scheduler a({.worker_count = 2, .bound_threads = 1});
  jobs::Scheduler b({.worker_count = 3, .bound_threads = 1});
  for (int round = 0; round < 20; ++round) {
    const jobs::ThreadBinding outer = a.bind_current_thread();
    EXPECT_EQ(fibonacci(10), 55);
    {
      const jobs::ThreadBinding inner = b.bind_current_thread();
      EXPECT_EQ(&jobs::Scheduler::current(), &b);
      EXPECT_EQ(fibonacci(10), 55);
      EXPECT_EQ(a.run([] { return fibonacci(10); }), 55) << "by the thread of a";
    }
    EXPECT_EQ(&jobs::Scheduler::current(), &a);
    EXPECT_EQ(fibonacci(10), 55);
    jobs::Counter done;
    b.spawn(done, [] {});
    done.wait();
  }
  const jobs::ThreadBinding again = b.bind_current_thread();
  EXPECT_EQ(fibonacci(10), 55);
}

TEST(BoundThread, MayBindInsideOfTheBoundCallerAndOfAScope) {
  jobs::Scheduler other({.worker_count = 2, .bound_threads = 1});
  jobs::Scheduler third({.worker_count = 2});
  const jobs::SchedulerScope scope(third);
  {
    jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
    const jobs::ThreadBinding binding = other.bind_current_thread();
    EXPECT_EQ(&jobs::Scheduler::current(), &other);
    EXPECT_EQ(fibonacci(10), 55);
  }
  EXPECT_EQ(&jobs::Scheduler::current(), &third);
}

TEST(BoundThread, BesideTheBoundCaller) {
  jobs::Scheduler scheduler({.worker_count = 3, .bind_caller = true, .bound_threads = 2});
  on_new_thread([&] {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    EXPECT_EQ(binding.worker_index(), 1u);
    EXPECT_EQ(fibonacci(10), 55);
    EXPECT_EQ(code_of([&] {
                on_new_thread([&] {
                  EXPECT_EQ(code_of([&] { const auto more = scheduler.bind_current_thread(); }),
                            jobs::ErrorCode::kBadArgument);
                });
              }),
              std::nullopt);
  });
  EXPECT_EQ(fibonacci(10), 55);
}

TEST(BoundThread, KeepsItsMutexes) {
  jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
  jobs::Mutex mutex;
  mutex.lock();
  {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    mutex.unlock();
    mutex.lock();
  }
  mutex.unlock();
}

// The thread leaves when the wait of the fiber has ended.
TEST(BoundThread, LeavesUnderAMutexThatAFiberAwaitsForSomeTime) {
  jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
  jobs::Mutex mutex;
  mutex.lock();
  bool has_locked = false;
  testing::internal::CaptureStderr();
  {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    scheduler.spawn(
        [&] {
          if (!mutex.try_lock_for(20ms)) return;
          has_locked = true;
          mutex.unlock();
        },
        {.on = jobs::worker(0)});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(has_locked);
  mutex.unlock();
}

// The wait of the fiber ends when the line is written: a second after the thread begins to leave.
TEST(BoundThread, SaysThatAFiberAwaitsItsMutex) {
  jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 1});
  jobs::Mutex mutex;
  mutex.lock();
  bool has_locked = false;
  std::stop_source stop;
  testing::internal::CaptureStderr();
  std::jthread stopper([&] {
    jobs::test::is_true_in_time([] { return jobs::test::bytes_of_standard_error() > 0; });
    stop.request_stop();
  });
  {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    scheduler.spawn(
        [&] {
          if (!mutex.lock(stop.get_token())) return;
          has_locked = true;
          mutex.unlock();
        },
        {.on = jobs::worker(0)});
  }
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::MatchesRegex("jobs: a thread cannot be unbound: it holds a lock that fiber [0-9]+ "
                            "awaits, worker 0\n"));
  EXPECT_FALSE(has_locked);
  mutex.unlock();
}

TEST(BoundThread, CallsTheHooks) {
  std::vector<int> calls;
  jobs::Scheduler scheduler({.worker_count = 1,
                             .bound_threads = 1,
                             .on_worker_start = [&](unsigned) { calls.push_back(1); },
                             .on_worker_stop = [&](unsigned) { calls.push_back(2); }});
  for (int i = 0; i < 2; ++i) {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    calls.push_back(0);
  }
  EXPECT_EQ(calls, (std::vector<int>{1, 0, 2, 1, 0, 2}));
}

// --- refusals ------------------------------------------------------------------------------------

TEST(BoundThread, IsRefusedWithoutAFreeSlot) {
  jobs::Scheduler none({.worker_count = 2});
  EXPECT_EQ(code_of([&] { const auto binding = none.bind_current_thread(); }),
            jobs::ErrorCode::kBadArgument);
  jobs::Scheduler one({.worker_count = 2, .bound_threads = 1});
  const jobs::ThreadBinding binding = one.bind_current_thread();
  on_new_thread([&] {
    EXPECT_EQ(code_of([&] { const auto more = one.bind_current_thread(); }),
              jobs::ErrorCode::kBadArgument);
  });
}

TEST(BoundThread, IsRefusedWhereItCannotBe) {
  jobs::Scheduler scheduler({.worker_count = 3, .bound_threads = 2});
  jobs::Scheduler other({.worker_count = 2, .bound_threads = 1});
  const auto bind = [&] {
    return code_of([&] { const auto binding = scheduler.bind_current_thread(); });
  };
  EXPECT_EQ(scheduler.run(bind), jobs::ErrorCode::kBadArgument) << "in a job";
  EXPECT_EQ(other.run(bind), jobs::ErrorCode::kBadArgument) << "in a job of another scheduler";
  jobs::parallel_for(0, 10, [&](int) { EXPECT_EQ(bind(), jobs::ErrorCode::kBadArgument); });
  {
    const jobs::ThreadBinding binding = scheduler.bind_current_thread();
    EXPECT_EQ(bind(), jobs::ErrorCode::kBadArgument) << "twice";
    const jobs::ThreadBinding inner = other.bind_current_thread();
    EXPECT_EQ(bind(), jobs::ErrorCode::kBadArgument) << "twice, nested";
  }
  EXPECT_EQ(bind(), std::nullopt);
  scheduler.shutdown();
  EXPECT_EQ(bind(), jobs::ErrorCode::kStopped);
}

TEST(BoundThread, SlotsRaiseTheNumberOfWorkers) {
  const jobs::Scheduler scheduler({.worker_count = 1, .bound_threads = 3});
  EXPECT_EQ(scheduler.worker_count(), 3u);
  EXPECT_EQ(code_of([] { const jobs::Scheduler many({.bound_threads = 5000}); }),
            jobs::ErrorCode::kBadArgument);
}

}  // namespace
