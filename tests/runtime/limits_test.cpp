// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A machine that grants more or fewer CPUs while a scheduler runs: CPU quotas in a tree that
// imitates /proc and /sys, and affinity masks.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/worker_count.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/in_time.hpp"

namespace {

// The calls of sched_yield() by workers.
std::atomic<int> yields = 0;

}  // namespace

// Takes the place of the function of the C library.
extern "C" int sched_yield() noexcept {
  const jobs::detail::WorkerContext* const context = jobs::detail::this_context();
  if (context != nullptr && !context->is_external()) ++yields;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

using namespace std::chrono_literals;
using jobs::detail::CpuLimits;
using jobs::test::is_true_in_time;

std::string root_of_tree;

// A machine of eight CPUs with the quotas of the tree.
CpuLimits limits_of_tree(std::span<const jobs::os::ThreadId>) {
  const jobs::detail::CpuQuota quota = jobs::detail::read_cpu_quota(root_of_tree);
  return {.online = 8, .affinity = 8, .quota = quota.cpus, .throttled = quota.throttled};
}

// Keeps workers busy, so that they check the limits.
class Load {
 public:
  explicit Load(jobs::Scheduler& scheduler)
      : thread_([&scheduler](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            scheduler.run([] {
              return jobs::parallel_reduce(0L, 2000L, 0L, std::plus<>(), [](long i) { return i; });
            });
          }
        }) {}

 private:
  std::jthread thread_;
};

class Limits : public testing::Test {
 protected:
  Limits() {
    unsetenv("JOBS_NUM_WORKERS");
    std::string pattern = (std::filesystem::temp_directory_path() / "jobs-limits-XXXXXX").string();
    root_of_tree = mkdtemp(pattern.data());
    write("proc/self/cgroup", "0::/box\n");
    set_quota(4);
    jobs::detail::limits_source = &limits_of_tree;
  }
  ~Limits() override {
    jobs::detail::limits_source = &jobs::detail::read_limits;
    std::filesystem::remove_all(root_of_tree);
  }

  // Replaces the file atomically, as the kernel does: no reader sees a part of it.
  static void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(root_of_tree) / path;
    std::filesystem::create_directories(file.parent_path());
    const std::string fresh = file.string() + ".new";
    std::ofstream(fresh) << text;
    std::filesystem::rename(fresh, file);
  }
  static void set_quota(double cpus) {
    write("sys/fs/cgroup/box/cpu.max",
          std::to_string(static_cast<long>(cpus * 100'000)) + " 100000\n");
  }
};

// `count` jobs that wait for each other on their threads: `count` workers must take one each.
void expect_workers_at_once(jobs::Scheduler& scheduler, unsigned count) {
  std::atomic<unsigned> there{0};
  scheduler.run([&] {
    jobs::Counter done;
    for (unsigned i = 0; i < count; ++i) {
      jobs::spawn(done, [&there, count] {
        ++there;
        EXPECT_TRUE(is_true_in_time([&] { return there == count; }));
      });
    }
    done.wait();
  });
}

bool becomes_active(const jobs::Scheduler& scheduler, unsigned count) {
  return is_true_in_time([&] { return scheduler.stats().active_workers == count; });
}

TEST_F(Limits, DecideHowManyWorkersStart) {
  for (const auto& [quota, count] :
       {std::pair(0.5, 1u), std::pair(1.5, 2u), std::pair(4.0, 4u), std::pair(100.0, 8u)}) {
    set_quota(quota);
    jobs::Scheduler scheduler;
    EXPECT_EQ(scheduler.worker_count(), count);
    EXPECT_EQ(scheduler.stats().active_workers, count);
    EXPECT_EQ(scheduler.run([] { return 1; }), 1);
  }
}

TEST_F(Limits, ParkWorkersAndBringThemBack) {
  jobs::Scheduler scheduler;
  ASSERT_EQ(scheduler.worker_count(), 4u);
  const Load load(scheduler);
  for (const auto& [quota, count] :
       {std::pair(1.0, 1u), std::pair(2.5, 3u), std::pair(0.1, 1u), std::pair(1.5, 2u),
        std::pair(50.0, 4u), std::pair(0.5, 1u), std::pair(4.0, 4u)}) {
    set_quota(quota);
    ASSERT_TRUE(becomes_active(scheduler, count)) << quota;
    expect_workers_at_once(scheduler, count);
    EXPECT_EQ(scheduler.worker_count(), 4u);
    const bool says_so = scheduler.describe().find(std::to_string(count) +
                                                   " of 4 in use: CPU quota") != std::string::npos;
    EXPECT_EQ(says_so, count < 4) << scheduler.describe();
  }
}

TEST_F(Limits, LeaveNothingOnARetiredWorker) {
  jobs::Scheduler scheduler;
  jobs::Event wake;
  std::vector<jobs::Fiber<unsigned>> fibers;  // started on each worker, before it retires
  for (unsigned i = 0; i < 4; ++i) {
    jobs::Event begun;
    scheduler.run([&] {
      jobs::Counter done;
      jobs::spawn(done,
                  [&] {
                    fibers.push_back(jobs::Fiber<unsigned>(
                        [&] {
                          begun.signal();
                          wake.wait();
                          jobs::this_fiber::sleep_for(1ms);
                          return jobs::worker_index().value();
                        },
                        {.start = jobs::FiberStart::kNow}));
                  },
                  {.on = jobs::worker(i)});
      done.wait();
    });
    begun.wait();
  }
  {
    const Load load(scheduler);
    set_quota(1);
    ASSERT_TRUE(becomes_active(scheduler, 1));
  }
  // Retired workers run the jobs that only they may run; the active worker runs the jobs that these
  // spawn.
  for (int round = 0; round < 20; ++round) {
    for (unsigned i = 0; i < 4; ++i) {
      std::atomic<int> elsewhere{0};
      std::atomic<int> ran{0};
      unsigned at = 0;
      scheduler.run([&] {
        jobs::Counter done;
        jobs::spawn(done,
                    [&] {
                      jobs::Counter children;
                      for (int k = 0; k < 100; ++k) {
                        jobs::spawn(children, [&] {
                          ++ran;
                          if (jobs::worker_index() != 0u) ++elsewhere;
                        });
                      }
                      children.wait();
                      at = jobs::worker_index().value();
                    },
                    {.on = jobs::worker(i)});
        done.wait();
      });
      EXPECT_EQ(at, i);
      EXPECT_EQ(ran, 100);
      if (round > 0) {
        EXPECT_EQ(elsewhere, 0) << "worker " << i << " should leave its deque to the others";
      }
    }
  }
  wake.signal();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(fibers[i].join(), i);
}

// A chain of jobs keeps the only other worker busy, so that it steals nothing.
TEST_F(Limits, LeaveNoJobOnARetiredWorkerWhileTheOtherWorkerIsBusy) {
  set_quota(2);
  jobs::Scheduler scheduler;
  ASSERT_EQ(scheduler.worker_count(), 2u);
  std::atomic<bool> stop{false};
  std::atomic<bool> chain_runs{false};
  std::atomic<bool> may_end{false};
  std::atomic<int> begun{0};
  std::atomic<int> ran{0};
  jobs::Counter done;
  const std::function<void()> link = [&] {
    chain_runs = true;
    for (const auto end = std::chrono::steady_clock::now() + 100us;
         std::chrono::steady_clock::now() < end;) {
    }
    if (!stop) jobs::spawn(done, link);
  };
  scheduler.spawn(done,
                  [&] {
                    begun = 1;
                    EXPECT_TRUE(is_true_in_time([&] { return chain_runs.load(); }));
                    for (int i = 0; i < 3; ++i) jobs::spawn(done, [&] { ++ran; });
                    begun = 2;
                    EXPECT_TRUE(is_true_in_time([&] { return may_end.load(); }));
                  },
                  {.on = jobs::worker(1)});
  EXPECT_TRUE(is_true_in_time([&] { return begun == 1; }));
  scheduler.spawn(done, link, {.on = jobs::worker(0)});
  EXPECT_TRUE(is_true_in_time([&] { return begun == 2; }));
  set_quota(1);
  EXPECT_TRUE(becomes_active(scheduler, 1));
  EXPECT_EQ(ran, 0);
  may_end = true;
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (ran != 3 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(ran, 3);
  stop = true;
  done.wait();
}

// No worker becomes idle meanwhile: the first retired worker continues to check the limits.
TEST_F(Limits, GrowWhileOneLongJobRuns) {
  jobs::Scheduler scheduler;
  for (int round = 0; round < 2; ++round) {
    {
      const Load load(scheduler);
      set_quota(1);
      ASSERT_TRUE(becomes_active(scheduler, 1));
    }
    // By then all workers are likely to sleep; the test must pass either way.
    if (round == 1) std::this_thread::sleep_for(300ms);
    scheduler.run([&] {
      set_quota(4);
      EXPECT_TRUE(becomes_active(scheduler, 4));
    });
    expect_workers_at_once(scheduler, 4);
  }
}

// The change makes another worker the first retired one, and wakes no further worker up. The new
// one must check the limits.
TEST_F(Limits, GrowTwiceWhileOneLongJobRuns) {
  jobs::Scheduler scheduler;
  {
    const Load load(scheduler);
    set_quota(1);
    ASSERT_TRUE(becomes_active(scheduler, 1));
  }
  scheduler.run([&] {
    set_quota(2);
    EXPECT_TRUE(becomes_active(scheduler, 2));
    // By then the second worker is likely to sleep; the test must pass either way.
    std::this_thread::sleep_for(300ms);
    set_quota(4);
    EXPECT_TRUE(becomes_active(scheduler, 4));
  });
}

TEST_F(Limits, LeaveTheBoundThreadOneWorkerForWhatItMayNotRun) {
  jobs::Scheduler scheduler({.bind_caller = true});
  ASSERT_EQ(scheduler.worker_count(), 4u);
  set_quota(0.5);
  ASSERT_TRUE(is_true_in_time([&] {
    jobs::Counter done;
    for (int i = 0; i < 100; ++i)
      jobs::spawn(done, [] { EXPECT_NE(jobs::worker_index(), 0u); }, {.on = jobs::not_main_thread});
    done.wait();
    return scheduler.stats().active_workers == 2;
  }));
  jobs::Counter done;
  for (int i = 0; i < 100; ++i) jobs::spawn(done, [] {}, {.on = jobs::not_main_thread});
  done.wait();
}

TEST_F(Limits, LeaveANumberAloneThatWasAskedFor) {
  jobs::Scheduler scheduler({.worker_count = 3});
  const Load load(scheduler);
  set_quota(0.5);
  write("sys/fs/cgroup/box/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  // A new figure shows that a worker has checked the limits.
  std::uint64_t periods = 0;
  ASSERT_TRUE(is_true_in_time([&] {
    write("sys/fs/cgroup/box/cpu.stat",
          "nr_throttled " + std::to_string(++periods) + "\nthrottled_usec 7000\n");
    return scheduler.stats().throttled_periods != 0;
  }));
  EXPECT_EQ(scheduler.stats().active_workers, 3u);
  expect_workers_at_once(scheduler, 3);
}

TEST_F(Limits, ShowThrottling) {
  write("sys/fs/cgroup/box/cpu.stat",
        "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1000\n");
  jobs::Scheduler scheduler;
  const Load load(scheduler);
  EXPECT_EQ(scheduler.describe().find("throttled"), std::string::npos)
      << "what was before does not count";
  std::uint64_t periods = 3;
  ASSERT_TRUE(is_true_in_time([&] {
    ++periods;
    write("sys/fs/cgroup/box/cpu.stat", "nr_throttled " + std::to_string(periods) +
                                            "\nthrottled_usec " + std::to_string(periods * 5000) +
                                            "\n");
    return scheduler.stats().throttled_ns != 0;
  }));
  EXPECT_NE(scheduler.stats().throttled_periods, 0u);
  EXPECT_NE(scheduler.describe().find("; throttled "), std::string::npos) << scheduler.describe();
}

TEST_F(Limits, StopASchedulerWhoseWorkersAreRetired) {
  for (int i = 0; i < 3; ++i) {
    set_quota(4);
    jobs::Scheduler scheduler;
    set_quota(1);
    std::optional<Load> load(std::in_place, scheduler);
    ASSERT_TRUE(becomes_active(scheduler, 1));
    load.reset();
    for (int k = 0; k < 100; ++k) scheduler.run([] { jobs::spawn([] {}); });
  }
}

TEST_F(Limits, FinishWhatRetiredWorkersHoldBeforeTheEnd) {
  std::atomic<int> ran{0};
  std::atomic<int> recalled{0};
  jobs::Event never;
  {
    jobs::Scheduler scheduler;
    scheduler.run([&] {
      for (unsigned i = 0; i < 4; ++i) {
        jobs::Counter begun;
        jobs::spawn(begun,
                    [&] {
                      jobs::Fiber<void>(
                          [&] {
                            try {
                              never.wait();
                            } catch (const jobs::Cancelled&) {
                              ++recalled;
                              throw;
                            }
                          },
                          {.start = jobs::FiberStart::kNow, .daemon = true})
                          .detach();
                    },
                    {.on = jobs::worker(i)});
        begun.wait();
      }
    });
    {
      const Load load(scheduler);
      set_quota(1);
      ASSERT_TRUE(becomes_active(scheduler, 1));
    }
    // The jobs lie in the deques of workers that have retired, or are retiring, when the shutdown
    // begins.
    for (unsigned i = 0; i < 4; ++i) {
      scheduler.run([&] {
        jobs::spawn(
            [&] {
              for (int k = 0; k < 100; ++k) jobs::spawn([&] { ++ran; });
              jobs::this_fiber::sleep_for(5ms);
              ++ran;
            },
            {.on = jobs::worker(i)});
      });
    }
  }
  EXPECT_EQ(ran, 4 * 101);
  EXPECT_EQ(recalled, 4);
}

TEST_F(Limits, ConcernEachSchedulerForItself) {
  jobs::Scheduler detected;
  jobs::Scheduler asked_for({.worker_count = 3});
  const Load first(detected);
  const Load second(asked_for);
  set_quota(2);
  ASSERT_TRUE(becomes_active(detected, 2));
  jobs::Scheduler later;
  EXPECT_EQ(later.worker_count(), 2u);
  set_quota(4);
  ASSERT_TRUE(becomes_active(detected, 4));
  EXPECT_EQ(asked_for.stats().active_workers, 3u);
  EXPECT_EQ(later.stats().active_workers, 2u);
}

// --- the jobs that a retiring worker leaves -----------------------------------------------------

// A scheduler of two workers. The second one retires, and has never run a job.
class RetiredWorkers : public Limits {
 protected:
  RetiredWorkers() {
    set_quota(2);
    core.emplace(options, jobs::detail::kDiagnostics);
    set_quota(1);
  }
  // True after the second worker has retired. No job is spawned meanwhile: all deques are in their
  // initial state.
  bool has_begun() {
    return is_true_in_time([&] {
      on_worker(0, [] {});
      return core->worker_at(1).is_retired();
    });
  }
  // Runs the function on that worker, and returns after its end.
  template <class F>
  void on_worker(unsigned index, F&& function) {
    jobs::detail::CallJob job(function,
                              []() noexcept { jobs::detail::this_context()->finished.add(1); });
    jobs::detail::JobMessage message;
    core->submit_with_options(job, message, {.on = jobs::worker(index)});
    job.join();
  }
  void push_from_worker_1(jobs::detail::Job& job) {
    on_worker(1, [&] { jobs::detail::this_context()->push(job); });
  }

  const jobs::SchedulerOptions options;
  std::optional<jobs::detail::SchedulerCore> core;
};

struct Marking : jobs::detail::Job {
  Marking() : Job([](Job& job) { static_cast<Marking&>(job).has_run = true; }) {}
  std::atomic<bool> has_run{false};
};

TEST_F(RetiredWorkers, WorkersKeepNoJob) {
  ASSERT_TRUE(has_begun());
  std::atomic<bool> has_begun_there{false};
  std::atomic<bool> may_end{false};
  std::thread busy([&] {
    on_worker(0, [&] {
      has_begun_there = true;
      has_begun_there.notify_one();
      may_end.wait(false);
    });
  });
  has_begun_there.wait(false);
  Marking job;
  push_from_worker_1(job);
  EXPECT_TRUE(is_true_in_time([&] { return core->worker_at(1).is_retired(); }));
  EXPECT_TRUE(core->worker_at(1).context().looks_empty());
  EXPECT_EQ(core->shared_jobs().take(true), &job);
  may_end = true;
  may_end.notify_one();
  busy.join();
}

TEST_F(RetiredWorkers, WorkersWakeOthersDespiteTheSlotsOfParticipants) {
  ASSERT_TRUE(has_begun());
  ASSERT_TRUE(is_true_in_time([&] { return core->is_parked(0); }));
  jobs::detail::WorkerContext* const participant =
      core->enter_participant();  // it takes the place of worker 0
  ASSERT_NE(participant, nullptr);
  Marking job;
  push_from_worker_1(job);
  EXPECT_TRUE(is_true_in_time([&] { return job.has_run.load(); }))
      << "the guest computes for as long as it takes";
  core->leave_participant(*participant);
  EXPECT_TRUE(is_true_in_time([&] { return job.has_run.load(); }));
}

// --- the real machine ---------------------------------------------------------------------------

void set_mask_of_all_threads(const cpu_set_t& mask) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    sched_setaffinity(std::stoi(task.path().filename()), sizeof mask, &mask);
  }
}

// Sets the mask repeatedly: a worker that is leaving its CPU at that moment (os::leave_cpu)
// restores its previous mask.
bool becomes_active_with(const jobs::Scheduler& scheduler, unsigned count, const cpu_set_t& mask) {
  return is_true_in_time([&] {
    set_mask_of_all_threads(mask);
    return scheduler.stats().active_workers == count;
  });
}

struct Affinity : testing::Test {
  Affinity() {
    unsetenv("JOBS_NUM_WORKERS");
    CPU_ZERO(&before);
    sched_getaffinity(0, sizeof before, &before);
    unsigned first = 0;
    while (CPU_ISSET(first, &before) == 0) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
  }
  ~Affinity() override { set_mask_of_all_threads(before); }

  cpu_set_t before;
  cpu_set_t one;
};

TEST_F(Affinity, MayShrinkAndGrowWhileTheSchedulerRuns) {
  // Workers check the limits on stacks of this size.
  jobs::Scheduler scheduler({.stack_size = 16 * 1024});
  const unsigned count = scheduler.worker_count();
  if (count < 2) GTEST_SKIP() << "one CPU";
  const Load load(scheduler);
  ASSERT_TRUE(becomes_active_with(scheduler, 1, one)) << scheduler.describe();
  for (unsigned i = 0; i < count; ++i) {
    unsigned at = count;
    scheduler.run([&] {
      jobs::Counter done;
      jobs::spawn(done, [&] { at = jobs::worker_index().value(); }, {.on = jobs::worker(i)});
      done.wait();
    });
    EXPECT_EQ(at, i);
  }
  ASSERT_TRUE(becomes_active_with(scheduler, count, before)) << scheduler.describe();
}

TEST_F(Affinity, OfOneCpuServesAnyNumberOfWorkers) {
  set_mask_of_all_threads(one);
  EXPECT_EQ(jobs::Scheduler().worker_count(), 1u);
  jobs::Scheduler scheduler({.worker_count = 8});
  expect_workers_at_once(scheduler, 8);
  for (int i = 0; i < 50; ++i) {
    const long sum = scheduler.run([] {
      return jobs::parallel_reduce(0L, 10'000L, 0L, std::plus<>(), [](long k) { return k; });
    });
    EXPECT_EQ(sum, 9'999L * 10'000 / 2);
  }
}

// A worker searches after each job.
TEST_F(Affinity, OfOneCpuMakesWorkersThatSearchYieldIt) {
  set_mask_of_all_threads(one);
  jobs::Scheduler crowded({.worker_count = 4});
  yields = 0;
  for (int i = 0; i < 200; ++i) crowded.run([] {});
  EXPECT_GE(yields, 100);
}

}  // namespace
