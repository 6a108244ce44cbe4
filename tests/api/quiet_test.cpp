// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The absence of unnecessary work: no switch and no allocation for jobs that never wait, no wake-up
// and no CPU time without work.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/worker_count.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/thread_state.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::allocations_in;

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

// Allocations and switches of the last of three rounds, inside a job of a scheduler with one
// worker. No worker steals, so no job may wait.
struct Cost {
  std::uint64_t allocations;
  std::uint64_t switches;
};
template <class F>
Cost cost_of(F body) {
  jobs::Scheduler scheduler({.worker_count = 1});
  return scheduler.run([&] {
    body();
    body();
    const std::uint64_t switches = scheduler.stats().switches;
    const std::uint64_t allocations = allocations_in(body);
    return Cost{allocations, scheduler.stats().switches - switches};
  });
}

TEST(Quiet, ForkJoinNeitherAllocatesNorSwitches) {
  const Cost cost = cost_of([] { EXPECT_EQ(fibonacci(18), 2584); });
  EXPECT_EQ(cost.allocations, 0u);
  EXPECT_EQ(cost.switches, 0u);
}

TEST(Quiet, LoopsNeitherAllocateNorSwitch) {
  const Cost cost = cost_of([] {
    static int values[10'000];
    jobs::parallel_for(0, 10'000, [](int i) { values[i] += i; });
    jobs::parallel_for(0, 10'000, [](int i) { values[i] += i; }, jobs::Grain(16));
    EXPECT_EQ(jobs::parallel_reduce(0, 10'000, 0, std::plus<>(), [](int) { return 1; }), 10'000);
  });
  EXPECT_EQ(cost.allocations, 0u);
  EXPECT_EQ(cost.switches, 0u);
}

TEST(Quiet, SpawnedJobsAllocateNothingAndShareOneSwitchForTheWait) {
  const Cost cost = cost_of([] {
    jobs::Counter done;
    for (int i = 0; i < 100; ++i)
      jobs::spawn(done, [i, &done] { static_cast<void>(i), static_cast<void>(done); });
    done.wait();
  });
  EXPECT_EQ(cost.allocations, 0u);
  EXPECT_LE(cost.switches, 2u) << "to the loop and back";
}

TEST(Quiet, StolenWorkAllocatesNothingInTheSteadyState) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const auto work = [] { EXPECT_EQ(fibonacci(18), 2584); };
  // A worker may need one more fiber in some rounds, but not in all.
  std::uint64_t least = UINT64_MAX;
  for (int round = 0; round < 20 && least != 0; ++round) {
    least = std::min(least, scheduler.run([&] { return allocations_in(work); }));
  }
  EXPECT_EQ(least, 0u);
}

// All of them are ready at one time. The list of the ready fibers is linked through the fibers.
TEST(Quiet, TenThousandFibersBecomeReadyWithoutAllocating) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([&] {
    constexpr std::size_t kFibers = 10'000;
    jobs::Event open;
    std::size_t waiting = 0;
    std::size_t resumed = 0;
    jobs::Counter done;
    for (std::size_t i = 0; i < kFibers; ++i) {
      jobs::spawn(done, [&] {
        ++waiting;
        open.wait();
        ++resumed;
      });
    }
    while (waiting != kFibers) jobs::yield();
    EXPECT_EQ(allocations_in([&] {
                open.signal();
                EXPECT_EQ(resumed, 0u) << "they are ready, and none has run";
                while (resumed != kFibers) jobs::yield();
              }),
              0u);
    done.wait();
  });
}

// The number of nodes counts here: a grid, so that thieves find work.
jobs::TaskGraph& grid() {
  static jobs::TaskGraph graph;
  if (graph.size() == 0) {
    constexpr std::size_t kSide = 30;
    std::vector<jobs::TaskGraph::Node> nodes;
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      nodes.push_back(graph.node([] {}));
      if (i % kSide != 0) nodes[i - 1].precede(nodes[i]);
      if (i >= kSide) nodes[i - kSide].precede(nodes[i]);
    }
    graph.freeze();
  }
  return graph;
}

TEST(Quiet, AGraphIsRunAgainWithoutAllocating) {
  const Cost cost = cost_of([] { grid().run(); });
  EXPECT_EQ(cost.allocations, 0u);
  EXPECT_LE(cost.switches, 2u) << "to the loop and back";
}

TEST(Quiet, AGraphOnSeveralWorkersAllocatesNothingInTheSteadyState) {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::uint64_t least = UINT64_MAX;
  for (int round = 0; round < 20 && least != 0; ++round) {
    least = std::min(least, scheduler.run([&] { return allocations_in([] { grid().run(); }); }));
  }
  EXPECT_EQ(least, 0u);
}

// Workers read the limits of the machine between their jobs (concurrency_limit.hpp).
TEST(Quiet, LimitsAreReadWithoutAllocating) {
  static std::atomic<int> readings;
  jobs::detail::limits_source = +[](std::span<const jobs::os::ThreadId> threads) {
    ++readings;
    return jobs::detail::read_limits(threads);
  };
  {
    jobs::Scheduler scheduler({.worker_count = 1});
    scheduler.run([] {
      const auto run_jobs_for = [](int count) {
        for (readings = 0; readings < count;) {
          jobs::Counter done;
          for (int i = 0; i < 100; ++i) jobs::spawn(done, [] {});
          done.wait();
        }
      };
      run_jobs_for(1);
      const std::uint64_t allocations = allocations_in([&] { run_jobs_for(2); });
      EXPECT_EQ(allocations, 0u);
    });
  }
  jobs::detail::limits_source = &jobs::detail::read_limits;
}

// Context switches of each thread of this process except the calling one.
std::map<std::string, std::uint64_t> context_switches_of_others() {
  const std::string own = std::to_string(gettid());
  std::map<std::string, std::uint64_t> counts;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string id = task.path().filename();
    if (id == own) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (const auto at = line.find("_ctxt_switches:"); at != std::string::npos) {
        counts[id] += std::stoull(line.substr(line.find(':') + 1));
      }
    }
  }
  return counts;
}

// CPU time of the process without the calling thread.
std::chrono::microseconds cpu_time_of_others() {
  const auto of = [](auto who) {
    rusage usage{};
    getrusage(who, &usage);
    const auto in_microseconds = [](const timeval& time) {
      return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    };
    return in_microseconds(usage.ru_utime) + in_microseconds(usage.ru_stime);
  };
  return of(RUSAGE_SELF) - of(RUSAGE_THREAD);
}

TEST(Quiet, IdleWorkersNeitherWakeUpNorUseTheCpu) {
  if (jobs::test::kUnderThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer runs a thread of its own";
  jobs::Scheduler scheduler({.worker_count = 4});
  scheduler.run([] {
    EXPECT_EQ(fibonacci(22), 17711);
    jobs::Counter done;
    for (int i = 0; i < 1000; ++i) jobs::spawn(done, [] {});
    done.wait();
  });
  std::map<std::string, std::uint64_t> switches;
  const auto is_quiet = [&] {  // the search of the last workers has ended
    switches = context_switches_of_others();
    std::this_thread::sleep_for(100ms);
    return jobs::test::others_sleep() && context_switches_of_others() == switches;
  };
  EXPECT_TRUE(jobs::test::is_true_in_time(is_quiet));
  const auto cpu = cpu_time_of_others();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(2s);
  const auto wall = std::chrono::steady_clock::now() - start;
  const auto used = cpu_time_of_others() - cpu;
  EXPECT_EQ(context_switches_of_others(), switches);
  EXPECT_LE(used, wall / 2000) << "more than 0.05 % of the time";
}

}  // namespace
