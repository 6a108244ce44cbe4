// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of the workers: hooks at their start and stop, and the CPUs that they may run on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Call {
  bool start;
  unsigned worker;
  std::thread::id thread;
};

// Records the calls of both hooks.
class Hooks {
 public:
  jobs::SchedulerOptions options(unsigned workers, bool bind) {
    return {.worker_count = workers,
            .bind_caller = bind,
            .on_worker_start = [this](unsigned worker) { add(true, worker); },
            .on_worker_stop = [this](unsigned worker) { add(false, worker); }};
  }
  std::vector<Call> calls() const {
    const std::scoped_lock lock(mutex_);
    return calls_;
  }
  std::thread::id thread_of(unsigned worker) const {
    for (const Call& call : calls()) {
      if (call.start && call.worker == worker) return call.thread;
    }
    return {};
  }

 private:
  void add(bool start, unsigned worker) {
    const std::scoped_lock lock(mutex_);
    calls_.push_back({start, worker, std::this_thread::get_id()});
  }

  mutable std::mutex mutex_;
  std::vector<Call> calls_;
};

TEST(WorkerThreads, HaveTheNumbersOfTheirWorkersInTheirNames) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    jobs::Counter done;
    std::vector<std::string> names(workers);
    for (unsigned i = 0; i < workers; ++i) {
      scheduler.spawn(done,
                      [&names, i] {
                        char name[16] = {};
                        pthread_getname_np(pthread_self(), name, sizeof name);
                        names[i] = name;
                      },
                      {.on = jobs::worker(i)});
    }
    done.wait();
    for (unsigned i = 0; i < workers; ++i) EXPECT_EQ(names[i], "jobs " + std::to_string(i));
  }
}

TEST(WorkerThreads, ArePinnedToOneCpuEach) {
  const std::size_t cpus = jobs::os::affinity_cpus().size();
  jobs::Scheduler scheduler({.worker_count = static_cast<unsigned>(cpus), .pin_workers = true});
  jobs::Counter done;
  std::vector<std::size_t> count(cpus);
  std::vector<unsigned> first(cpus);
  for (unsigned i = 0; i < cpus; ++i) {
    scheduler.spawn(done,
                    [&, i] {
                      const auto own = jobs::os::affinity_cpus();
                      count[i] = own.size();
                      first[i] = own.front();
                    },
                    {.on = jobs::worker(i)});
  }
  done.wait();
  for (const std::size_t own : count) EXPECT_EQ(own, 1u);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end()) << "two workers on one CPU";
}

// Each job follows the end of the last one by less than the time of a search. The gaps have no
// rhythm, and each round has a new worker, so it learns nothing. One round without disturbance is
// enough: a machine with other work may take the CPU from either thread.
TEST(WorkerThreads, SearchForAWhileBeforeTheySleep) {
  if (jobs::Scheduler().worker_count() < 2) GTEST_SKIP() << "the worker needs a CPU of its own";
  constexpr std::uint64_t kJobs = 20;
  std::minstd_rand random(1);
  std::uint64_t least = kJobs;
  for (int round = 0; round < 100 && least > kJobs / 5; ++round) {
    jobs::Scheduler scheduler({.worker_count = 1});
    const auto run_one = [&] {
      std::atomic<bool> ran{false};
      scheduler.spawn([&ran] { ran = true; });
      while (!ran) jobs::detail::cpu_relax();
    };
    run_one();
    const std::uint64_t parks = scheduler.stats().parks;
    for (std::uint64_t i = 0; i < kJobs; ++i) {
      const auto gap = std::chrono::microseconds(20 + random() % 20);
      const auto next = std::chrono::steady_clock::now() + gap;
      while (std::chrono::steady_clock::now() < next) jobs::detail::cpu_relax();
      run_one();
    }
    least = std::min(least, scheduler.stats().parks - parks);
  }
  EXPECT_LE(least, kJobs / 5);
}

class WorkerHooks : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, WorkerHooks, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

TEST_P(WorkerHooks, RunOnceOnTheThreadOfEachWorkerBeforeAndAfterItsJobs) {
  for (const bool bind : {false, true}) {
    Hooks hooks;
    std::atomic<int> astray{0};
    {
      jobs::Scheduler scheduler(hooks.options(GetParam(), bind));
      jobs::Counter done;
      for (unsigned i = 0; i < 4 * GetParam(); ++i) {
        const unsigned index = i % GetParam();
        scheduler.spawn(done,
                        [&, index] {
                          if (hooks.thread_of(index) != std::this_thread::get_id()) ++astray;
                        },
                        {.on = jobs::worker(index)});
      }
      done.wait();
      for (const Call& call : hooks.calls()) EXPECT_TRUE(call.start);
      scheduler.shutdown();
      EXPECT_EQ(hooks.calls().size(), 2 * GetParam()) << "all have returned";
    }
    EXPECT_EQ(astray, 0);
    std::vector<int> stops(GetParam());
    for (const Call& call : hooks.calls()) {
      if (call.start) continue;
      ++stops[call.worker];
      EXPECT_EQ(call.thread, hooks.thread_of(call.worker));
    }
    for (const int count : stops) EXPECT_EQ(count, 1);
    EXPECT_EQ(hooks.thread_of(0) == std::this_thread::get_id(), bind);
  }
}

// --- CPUs ----------------------------------------------------------------------------------------

std::string refusal_of(const jobs::SchedulerOptions& options) {
  try {
    const jobs::Scheduler scheduler(options);
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
    return error.what();
  }
  return "accepted";
}

std::vector<unsigned> cpus_of_worker(jobs::Scheduler& scheduler, unsigned index) {
  std::vector<unsigned> cpus;
  jobs::Counter done;
  scheduler.spawn(done, [&] { cpus = jobs::os::affinity_cpus(); }, {.on = jobs::worker(index)});
  done.wait();
  return cpus;
}

using CpuSet = std::vector<unsigned>;

// The option for a table of sets.
auto sets(std::vector<CpuSet> table) {
  return [table = std::move(table)](unsigned worker) { return table.at(worker); };
}

TEST(WorkerCpus, RestrictEachWorkerToItsSet) {
  const CpuSet all = jobs::os::affinity_cpus();
  jobs::Scheduler scheduler(
      {.worker_count = 4, .worker_cpus = sets({{all.front()}, {}, {all.back(), all.front()}, {}})});
  EXPECT_THAT(cpus_of_worker(scheduler, 0), ElementsAre(all.front()));
  EXPECT_EQ(cpus_of_worker(scheduler, 1), all);
  EXPECT_EQ(cpus_of_worker(scheduler, 2).size(), all.front() == all.back() ? 1u : 2u);
  EXPECT_EQ(cpus_of_worker(scheduler, 3), all);
  EXPECT_EQ(jobs::os::affinity_cpus(), all) << "this thread is not affected";
  EXPECT_THAT(scheduler.describe(), HasSubstr("pinned to sets of CPUs"));
}

TEST(WorkerCpus, MayLieOutsideOfTheMaskOfTheConstructingThread) {
  const CpuSet all = jobs::os::affinity_cpus();
  if (all.size() < 2) GTEST_SKIP() << "one CPU";
  std::jthread([&] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(all.front(), &first);
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    jobs::Scheduler scheduler(
        {.worker_count = 2, .worker_cpus = sets({{all.front()}, {all.back()}})});
    EXPECT_THAT(cpus_of_worker(scheduler, 1), ElementsAre(all.back()));
    EXPECT_THAT(jobs::os::affinity_cpus(), ElementsAre(all.front()));
  }).join();
}

TEST(WorkerCpus, LeaveTheBoundCallerAlone) {
  const CpuSet all = jobs::os::affinity_cpus();
  jobs::Scheduler scheduler(
      {.worker_count = 2, .bind_caller = true, .worker_cpus = sets({{~0u}, {all.back()}})});
  EXPECT_EQ(cpus_of_worker(scheduler, 0), all);
  EXPECT_THAT(cpus_of_worker(scheduler, 1), ElementsAre(all.back()));
}

// A waker removes its CPU from the mask of a sleeping worker; the worker adds it again.
TEST(WorkerCpus, AreCompleteAfterWakeUps) {
  const CpuSet all = jobs::os::affinity_cpus();
  if (all.size() < 2) GTEST_SKIP() << "one CPU";
  jobs::Scheduler scheduler({.worker_count = 2});
  for (int round = 0; round < 50; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // The workers fall asleep.
    CpuSet seen;
    jobs::Counter counter;
    scheduler.spawn(counter, [&] { seen = jobs::os::affinity_cpus(); });
    counter.wait();
    ASSERT_EQ(seen, all) << round;
  }
}

TEST(WorkerCpus, AreRefusedIfTheProcessMayNotUseThem) {
  const unsigned cpu = jobs::os::affinity_cpus().front();
  for (const unsigned none : {1'000u, 1u << 19, 1u << 20, ~0u}) {
    EXPECT_EQ(refusal_of({.worker_count = 2, .worker_cpus = sets({{cpu}, {cpu, none}})}),
              "worker_cpus: the process may not use CPU " + std::to_string(none));
  }
}

TEST(WorkerCpus, AreRefusedBesideOptionsThatPin) {
  const auto any = [](unsigned) { return CpuSet(); };
  EXPECT_THAT(refusal_of({.worker_count = 2, .pin_workers = true, .worker_cpus = any}),
              HasSubstr("pin_workers"));
  EXPECT_THAT(refusal_of({.worker_count = 2, .pin_to_nodes = true, .worker_cpus = any}),
              HasSubstr("pin_to_nodes"));
}

TEST(WorkerCpus, PassExceptionsOn) {
  EXPECT_THROW(jobs::Scheduler({.worker_count = 2, .worker_cpus = sets({{}})}), std::out_of_range);
}

}  // namespace
