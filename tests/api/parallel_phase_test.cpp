// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParallelPhase: workers stay awake inside of it, sleep again after it, and otherwise work as
// usual. No test depends on the number of workers that the machine allows to spin.
#include "jobs/parallel_phase.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/base/worker_count.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/report.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::is_true_in_time;

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

// Imitates a machine with enough CPUs and no quota, on any machine. During its lifetime the limits
// are read from it.
class PlentyOfCpus {
 public:
  PlentyOfCpus() { jobs::detail::limits_source.store(&read, std::memory_order_relaxed); }
  ~PlentyOfCpus() {
    jobs::detail::limits_source.store(&jobs::detail::read_limits, std::memory_order_relaxed);
  }

 private:
  static jobs::detail::CpuLimits read(std::span<const jobs::os::ThreadId>) {
    return {.online = 8, .affinity = 8, .quota = std::nullopt};
  }
};

class ParallelPhase : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ParallelPhase);

TEST_P(ParallelPhase, ChangesNothingOfWhatIsDone) {
  if (is_external()) uses_default_scheduler();
  run([] {
    const jobs::ParallelPhase phase;
    EXPECT_EQ(fibonacci(15), 610);
    std::atomic<int> ran{0};
    jobs::Counter done;
    for (int i = 0; i < 100; ++i) jobs::spawn(done, [&ran] { ++ran; });
    done.wait();
    EXPECT_EQ(ran, 100);
    jobs::parallel_for(0, 100, [&ran](int) { ++ran; }, jobs::Grain(1));
    EXPECT_EQ(ran, 200);
    jobs::Fiber<int> fiber([] {
      jobs::this_fiber::sleep_for(2ms);
      return 7;
    });
    EXPECT_EQ(fiber.join(), 7);
  });
}

TEST_P(ParallelPhase, MayBeNestedAndLeftByAnException) {
  if (is_external()) uses_default_scheduler();
  run([] {
    const jobs::ParallelPhase outer;
    EXPECT_THROW(jobs::fork_join(
                     [] {
                       const jobs::ParallelPhase inner;
                       throw std::runtime_error("inner");
                     },
                     [] {
                       const jobs::ParallelPhase other;
                       return fibonacci(10);
                     }),
                 std::runtime_error);
    EXPECT_EQ(fibonacci(12), 144);
  });
}

class ParallelPhaseWith : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, ParallelPhaseWith, testing::Values(1u, 2u, 4u, 16u));

TEST_P(ParallelPhaseWith, IsOpenedByManyThreadsAtATime) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const jobs::ParallelPhase phase(scheduler);
        scheduler.run([&ran] { ++ran; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 80);
}

TEST_P(ParallelPhaseWith, EndsAndTheWorkersSleep) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  const auto rests = [&] {  // no worker searches
    const std::uint64_t parks_before = scheduler.stats().parks;
    const std::clock_t cpu_before = std::clock();
    std::this_thread::sleep_for(20ms);
    return scheduler.stats().parks == parks_before &&
           std::clock() - cpu_before < CLOCKS_PER_SEC / 500;
  };
  ASSERT_TRUE(is_true_in_time(rests));
  const std::uint64_t parks = scheduler.stats().parks;
  {
    const jobs::ParallelPhase phase(scheduler);
    scheduler.run([] { EXPECT_EQ(fibonacci(10), 55); });
    std::this_thread::sleep_for(2ms);  // by then every worker that may spin does
  }
  EXPECT_TRUE(is_true_in_time([&] { return scheduler.stats().parks > parks; }));
  EXPECT_TRUE(is_true_in_time(rests));
}

TEST_P(ParallelPhaseWith, DoesNotKeepASchedulerFromStopping) {
  const PlentyOfCpus machine;
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::this_thread::sleep_for(110ms);  // the next check of the machine is due
  std::atomic<int> ran{0};
  const jobs::ParallelPhase phase(scheduler);
  scheduler.run([&ran] {
    for (int i = 0; i < 10; ++i) {
      jobs::spawn([&ran] {
        jobs::this_fiber::sleep_for(5ms);  // the shutdown starts meanwhile
        ++ran;
      });
    }
  });
  scheduler.shutdown();
  EXPECT_EQ(ran, 10);
  try {
    const jobs::ParallelPhase late(scheduler);
    ADD_FAILURE() << "opened after the shutdown";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kStopped);
  }
}

// On two or more CPUs at least one worker may spin.
TEST(ParallelPhase, KeepsAWorkerAwake) {
  const PlentyOfCpus machine;
  jobs::Scheduler scheduler({.worker_count = 2});
  std::this_thread::sleep_for(110ms);  // the next check of the machine is due
  const jobs::ParallelPhase phase(scheduler);
  scheduler.run([] {});
  std::uint64_t parks = 0;
  const auto nobody_sleeps = [&] {
    parks = scheduler.stats().parks;
    std::this_thread::sleep_for(30ms);  // several hundred times the length of a search
    return scheduler.stats().parks == parks;
  };
  EXPECT_TRUE(is_true_in_time(nobody_sleeps));
  // The difference between a spinning and a sleeping worker: a spinning worker needs no wake-up.
  const std::uint64_t before = scheduler.stats().parks;
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(1ms);
    scheduler.run([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 50);
  EXPECT_LE(scheduler.stats().parks - before, 10u) << "each of 50 bursts found its workers asleep";
}

TEST(ParallelPhase, LeavesDeadlocksToBeSeen) {
  const PlentyOfCpus machine;
  std::atomic<int> reports{0};
  jobs::Event never;
  {
    jobs::Scheduler scheduler(
        {.worker_count = 4, .deadlock_after = 50ms, .on_report = [&](const jobs::Report& report) {
           if (report.reason == jobs::Report::Reason::kDeadlock) ++reports;
         }});
    std::this_thread::sleep_for(110ms);
    const jobs::ParallelPhase phase(scheduler);
    jobs::Fiber<> waits = scheduler.run([&] { return jobs::Fiber<>([&] { never.wait(); }); });
    EXPECT_TRUE(is_true_in_time([&] { return reports == 1; }));
    never.signal();
    waits.join();
  }
  EXPECT_EQ(reports, 1);
}

TEST(ParallelPhase, IsNoStall) {
  const PlentyOfCpus machine;
  std::atomic<int> reports{0};
  {
    jobs::Scheduler scheduler({.worker_count = 2,
                               .stall_after = 20ms,
                               .on_report = [&](const jobs::Report&) { ++reports; }});
    const jobs::ParallelPhase phase(scheduler);
    // Each round makes the workers search again. A round with a report shows no fault yet: a job
    // whose worker loses its CPU for 20 ms is a stall.
    EXPECT_TRUE(is_true_in_time([&] {
      const int before = reports;
      scheduler.run([] { jobs::Fiber<>([] { jobs::yield(); }).join(); });
      std::this_thread::sleep_for(200ms);
      return reports == before;
    }));
    // A worker that works again is watched again.
    const int before = reports;
    scheduler.run([&] { EXPECT_TRUE(is_true_in_time([&] { return reports > before; })); });
  }
}

TEST(ParallelPhaseDeathTest, MustEndBeforeItsScheduler) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        std::optional<jobs::Scheduler> scheduler(std::in_place,
                                                 jobs::SchedulerOptions{.worker_count = 1});
        const jobs::ParallelPhase phase(*scheduler);
        scheduler.reset();
      },
      "destroyed before one of its ParallelPhases");
}

}  // namespace
