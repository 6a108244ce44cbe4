// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Profile: where the time of workers goes. Times have wide limits, because other programs may run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/coroutine.hpp"
#include "jobs/jobs.hpp"
#include "jobs/profile.hpp"
#include "jobs/trace.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/use_stack.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using trace::Profile;
using trace::ProfilePlace;
using trace::WorkerProfile;

void compute_for(nanoseconds time) {
  const auto end = steady_clock::now() + time;
  while (steady_clock::now() < end) continue;
}

// All workers have begun, because each of them runs one of the jobs.
void meet_on_all_workers(Scheduler& scheduler, unsigned workers) {
  std::atomic<unsigned> arrived{0};
  Counter counter;
  for (unsigned i = 0; i < workers; ++i) {
    scheduler.spawn(counter, [&arrived, workers] {
      arrived.fetch_add(1);
      while (arrived.load() < workers) std::this_thread::yield();
    });
  }
  counter.wait();
}

WorkerProfile sum_of(const std::vector<WorkerProfile>& workers) {
  WorkerProfile sum;
  for (const WorkerProfile& worker : workers) {
    sum.useful += worker.useful;
    sum.scheduler += worker.scheduler;
    sum.searching += worker.searching;
    sum.parked += worker.parked;
    sum.own_code += worker.own_code;
    sum.without_cpu += worker.without_cpu;
  }
  return sum;
}

// Waits until all workers sleep. A profile then knows their states at its begin: it leaves out the
// time of a worker that is between two jobs at its begin, until the next event of this worker.
void wait_until_all_sleep(unsigned workers) {
  constexpr auto kSleep = 5ms;
  EXPECT_TRUE(is_true_in_time([&] {
    Profile profile;
    std::this_thread::sleep_for(kSleep);
    profile.stop();
    return sum_of(profile.workers()).parked >= workers * kSleep;
  }));
}

// Runs a job with that many workers, which end before the call returns: a job counts at its end,
// which comes after the end of its waiter.
template <class Work>
void run_with(unsigned workers, Work&& work) {
  Scheduler scheduler({.worker_count = workers});
  scheduler.run(work);
}

// Returns the place with the largest count among those whose name contains `name` and whose wait is
// `wait`, or an empty place. The job of run_with() has the name of the test, too.
ProfilePlace find(const std::vector<ProfilePlace>& places, std::string_view name,
                  std::string_view wait = {}) {
  ProfilePlace found;
  for (const ProfilePlace& place : places) {
    const bool fits = place.name.find(name) != std::string::npos && place.wait == wait;
    if (fits && place.count > found.count) found = place;
  }
  return found;
}

// A profile, and the time for which it was active.
class TimedProfile {
 public:
  void stop() {
    const auto before = steady_clock::now();
    profile_.stop();
    longest_ = steady_clock::now() - before_;
    shortest_ = before - after_;
  }
  WorkerProfile sum() const { return sum_of(profile_.workers()); }
  // Expects that the times of the workers add up to the time of the profile, within 2 %.
  void expect_times_of(unsigned workers) const {
    const auto total = static_cast<double>(sum().total().count());
    EXPECT_GE(total, 0.98 * workers * static_cast<double>(shortest_.count()));
    EXPECT_LE(total, 1.02 * workers * static_cast<double>(longest_.count()));
  }

 private:
  // The kernel may run other threads between two readings of the clock.
  const steady_clock::time_point before_ = steady_clock::now();
  Profile profile_;
  const steady_clock::time_point after_ = steady_clock::now();
  nanoseconds shortest_{};
  nanoseconds longest_{};
};

class ProfileOf : public testing::TestWithParam<unsigned> {};

TEST_P(ProfileOf, AddsUpToTheTimeOfTheWorkers) {
  Scheduler scheduler({.worker_count = GetParam()});
  meet_on_all_workers(scheduler, GetParam());
  wait_until_all_sleep(GetParam());
  TimedProfile profile;
  Mutex mutex;
  Counter counter;
  for (int i = 0; i < 100; ++i) {
    scheduler.spawn(counter, [&mutex] {
      compute_for(1ms);
      {
        const std::scoped_lock lock(mutex);
        compute_for(100us);
      }
      this_fiber::sleep_for(1ms);
      fork_join([] { compute_for(100us); }, [] { compute_for(100us); });
      jobs::yield();
    });
  }
  counter.wait();
  EXPECT_TRUE(is_true_in_time([&] { return profile.sum().parked >= 50ms; }));
  profile.stop();
  profile.expect_times_of(GetParam());
  EXPECT_GE(profile.sum().useful, 100ms);
}

TEST_P(ProfileOf, CountsWorkersThatSleepThroughout) {
  Scheduler scheduler({.worker_count = GetParam()});
  meet_on_all_workers(scheduler, GetParam());
  wait_until_all_sleep(GetParam());
  // A worker may wake up by itself.
  EXPECT_TRUE(is_true_in_time([&] {
    TimedProfile profile;
    std::this_thread::sleep_for(100ms);
    profile.stop();
    profile.expect_times_of(GetParam());
    return profile.sum().parked >= GetParam() * 90ms;
  }));
}

TEST_P(ProfileOf, CountsWorkersThatRunOneJobThroughout) {
  Scheduler scheduler({.worker_count = GetParam()});
  std::atomic<unsigned> arrived{0};
  std::atomic<bool> stop{false};
  Counter counter;
  for (unsigned i = 0; i < GetParam(); ++i) {
    scheduler.spawn(counter, [&] {
      arrived.fetch_add(1);
      while (!stop.load()) std::this_thread::sleep_for(1ms);
    });
  }
  while (arrived.load() < GetParam()) std::this_thread::yield();
  // The first profile sees no event of the workers, and the second one the ends of the jobs.
  for (const bool ends : {false, true}) {
    TimedProfile profile;
    std::this_thread::sleep_for(100ms);
    if (ends) {
      stop.store(true);
      counter.wait();
    }
    profile.stop();
    profile.expect_times_of(GetParam());
    EXPECT_GE(profile.sum().useful, GetParam() * 95ms);
  }
}

TEST_P(ProfileOf, LeavesOutTheTimeBetweenTwoProfiles) {
  Scheduler scheduler({.worker_count = GetParam()});
  meet_on_all_workers(scheduler, GetParam());
  for (int i = 0; i < 3; ++i) {
    wait_until_all_sleep(GetParam());
    TimedProfile profile;
    meet_on_all_workers(scheduler, GetParam());
    std::this_thread::sleep_for(50ms);
    profile.stop();
    profile.expect_times_of(GetParam());
    std::this_thread::sleep_for(100ms);
  }
}

TEST_P(ProfileOf, HasTheFiguresOfEachFunction) {
  Profile profile;
  constexpr int kJobs = 500;
  run_with(GetParam(), [] {
    Counter counter;
    for (int i = 0; i < kJobs; ++i) {
      spawn(counter, [] { compute_for(20us); });
    }
    counter.wait();
  });
  profile.stop();
  const std::vector<ProfilePlace> functions = profile.functions();
  EXPECT_TRUE(
      std::is_sorted(functions.begin(), functions.end(),
                     [](const auto& left, const auto& right) { return left.total > right.total; }));
  const ProfilePlace function = find(functions, "HasTheFiguresOfEachFunction");
  EXPECT_EQ(function.count, kJobs);
  EXPECT_GE(function.total, kJobs * 20us);
  EXPECT_GE(function.p50, 18us);
  EXPECT_LE(function.p50, function.p99);
}

TEST_P(ProfileOf, SeparatesWaitsFromTheTimeOfAFunction) {
  Profile profile;
  Scheduler scheduler({.worker_count = GetParam()});
  scheduler.run([] {
    Counter counter;
    for (int i = 0; i < 20; ++i) {
      spawn(counter, [] { this_fiber::sleep_for(20ms); });
    }
    counter.wait();
  });
  scheduler.shutdown();
  profile.stop();
  constexpr std::string_view kName = "SeparatesWaitsFromTheTimeOfAFunction";
  const ProfilePlace function = find(profile.functions(), kName);
  EXPECT_EQ(function.count, 20u);
  EXPECT_LT(function.total, sum_of(profile.workers()).total());
  const ProfilePlace wait = find(profile.waits(), kName, "sleep");
  // The kernel may run other threads before the job suspends, even until its deadline has passed.
  EXPECT_EQ(wait.count, scheduler.stats().timeouts);
  EXPECT_GE(wait.total + function.total, 20 * 19ms);
  EXPECT_GT(wait.total, 0ns);
  EXPECT_EQ(wait.object, nullptr);
}

TEST_P(ProfileOf, HasTheMutexOfAWait) {
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  Mutex mutex;
  scheduler.run([&mutex] {
    mutex.lock();
    Fiber<void> fiber([&mutex] { const std::scoped_lock lock(mutex); });
    until_waiting(fiber);
    compute_for(1ms);
    mutex.unlock();
    fiber.join();
  });
  profile.stop();
  constexpr std::string_view kFiber = "Fiber profile_test.cpp:";
  const ProfilePlace wait = find(profile.waits(), kFiber, "Mutex");
  EXPECT_EQ(wait.count, 1u);
  EXPECT_EQ(wait.object, &mutex);
  EXPECT_GT(wait.total, 0ns);
  // The kernel may run other threads after the Fiber has said that it waits, and before it does.
  EXPECT_GE(wait.total + find(profile.functions(), kFiber).total, 900us);
}

// The only function of its kind, so that its name is not that of a test.
Task<> compute_in_a_coroutine(Event& go) {
  compute_for(100us);
  co_await go;
  compute_for(100us);
}

TEST_P(ProfileOf, NamesCoroutinesByTheirFunction) {
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  Event go;
  scheduler.run([&] {
    Counter counter;
    start(counter, compute_in_a_coroutine(go));
    this_fiber::sleep_for(1ms);
    go.signal();
    counter.wait();
  });
  scheduler.shutdown();
  profile.stop();
  const ProfilePlace place = find(profile.functions(), "compute_in_a_coroutine");
  // The event may come before the wait: then the coroutine continues in the same job.
  EXPECT_GE(place.count, 1u);
  EXPECT_LE(place.count, 2u);
  EXPECT_GE(place.total, 200us);
  EXPECT_THAT(place.name, Not(HasSubstr("[clone")));
  EXPECT_EQ(find(profile.functions(), "TaskBegin").count, 0u);
  EXPECT_EQ(find(profile.functions(), "TaskWait").count, 0u);
}

// The first run of a graph has another path than later ones.
TEST_P(ProfileOf, NamesNodesByTheirNameOrTheirFunction) {
  TaskGraph graph;
  graph.node([] { compute_for(100us); }, "read the mesh");
  graph.node([] { compute_for(100us); });
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  scheduler.run([&graph] {
    for (int i = 0; i < 3; ++i) graph.run();
  });
  scheduler.shutdown();
  profile.stop();
  for (const char* const name : {"read the mesh", "FunctionBody<"}) {
    const ProfilePlace place = find(profile.functions(), name);
    EXPECT_EQ(place.count, 3u) << name;
    EXPECT_GE(place.total, 270us) << name;
  }
}

// The node that waits has its time without the wait, and that of the graph within it apart.
TEST_P(ProfileOf, NamesTheNodesOfAGraphWithinANode) {
  TaskGraph inner;
  inner.node([] { compute_for(100us); }, "inner");
  TaskGraph outer;
  outer.node(
      [&inner] {
        compute_for(100us);
        inner.run();
        compute_for(100us);
      },
      "outer");
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  scheduler.run([&outer] { outer.run(); });
  scheduler.shutdown();
  profile.stop();
  EXPECT_EQ(find(profile.functions(), "inner").count, 1u);
  EXPECT_EQ(find(profile.functions(), "outer").count, 1u);
  EXPECT_GE(find(profile.functions(), "inner").total, 90us);
  EXPECT_GE(find(profile.functions(), "outer").total, 180us);
}

// The later Fibers find the pages of the stack in memory. A worker reads the kernel's figures if a
// run takes 20 us or more. The number of faults for 50 pages is a choice of the kernel.
TEST(PageFaults, AreThoseOfTheFiberThatUsesItsStackFirst) {
  constexpr std::uint64_t kSome = 25;
  const std::size_t page = os::page_size();
  const FiberOptions on_large_stack{.stack_size = 128 * page};
  std::uint64_t expected = 0;
  Profile profile;
  unsigned line = 0;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      const auto use = [page](std::size_t pages) {
        const std::uint64_t before = page_faults_of_thread();
        use_stack(pages * page);
        const std::uint64_t faults = page_faults_of_thread() - before;
        compute_for(1ms);
        return faults;
      };
      compute_for(1ms);
      line = __LINE__ + 1;
      Fiber<void>([&] { expected = use(50); }, on_large_stack).join();
      Fiber<void>([&] { use(1); }, on_large_stack).join();
      Fiber<void>([&] { use(50); }, on_large_stack).join();
    });
  }
  profile.stop();
  const auto faults = [&profile, line](unsigned row) {
    return find(profile.functions(), "Fiber profile_test.cpp:" + std::to_string(line + row))
        .page_faults;
  };
  EXPECT_GT(expected, 0u);
  EXPECT_GE(faults(0), expected);
  if (faults(0) >= 32) {
    EXPECT_THAT(profile.text(), HasSubstr(": " + std::to_string(faults(0)) + " page faults\n"));
  }
  if (kSanitized) return;  // Sanitizers allocate memory of their own.
  EXPECT_LT(faults(0), expected + kSome);
  EXPECT_LT(faults(1), kSome);
  EXPECT_LT(faults(2), kSome);
}

TEST_P(ProfileOf, NamesStagesByTheirFunction) {
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  scheduler.run([] {
    int next = 0;
    const auto source = [&next] { return next < 10 ? std::optional<int>(next++) : std::nullopt; };
    pipeline(4, source, in_order([](int) { compute_for(100us); }));
  });
  scheduler.shutdown();
  profile.stop();
  std::uint64_t calls = 0;
  nanoseconds total{0};
  for (const ProfilePlace& place : profile.functions()) {
    if (place.name.find("stage_code<") == std::string::npos) continue;
    calls += place.count;
    total += place.total;
  }
  EXPECT_EQ(calls, 11u + 10u);  // The source ends with a call of its own.
  EXPECT_GE(total, 900us);
}

TEST_P(ProfileOf, NamesFibersByTheirSite) {
  Scheduler scheduler({.worker_count = GetParam()});
  Profile profile;
  scheduler.run([] {
    for (int i = 0; i < 10; ++i) Fiber<void>([] { compute_for(100us); }).join();
    Fiber<void>([] { compute_for(100us); }, {.stack_size = 16 << 10}).join();
  });
  profile.stop();
  const std::vector<ProfilePlace> functions = profile.functions();
  const auto is_fiber = [](const ProfilePlace& place) {
    return place.name.starts_with("Fiber profile_test.cpp:");
  };
  EXPECT_EQ(std::count_if(functions.begin(), functions.end(), is_fiber), 2);
  const ProfilePlace most = find(functions, "Fiber profile_test.cpp:");
  EXPECT_EQ(most.count, 10u);
  EXPECT_GE(most.total, 1ms);
}

INSTANTIATE_TEST_SUITE_P(Workers, ProfileOf, testing::Values(1, 2, 4, 16));

TEST(Profile, CountsSchedulersThatHaveEnded) {
  Profile profile;
  const auto begin = steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    Scheduler scheduler({.worker_count = 2});
    meet_on_all_workers(scheduler, 2);
    std::this_thread::sleep_for(50ms);
  }
  const auto wall = steady_clock::now() - begin;
  profile.stop();
  EXPECT_THAT(profile.workers(), SizeIs(2));
  const nanoseconds total = sum_of(profile.workers()).total();
  EXPECT_GE(total, 3 * 2 * 50ms);
  EXPECT_LE(total, 2 * wall);
}

TEST(Profile, ShowsTheTimeInWhichAJobBlocksItsWorker) {
  Scheduler scheduler({.worker_count = 1});
  Profile profile;
  scheduler.run([] { std::this_thread::sleep_for(50ms); });
  profile.stop();
  const WorkerProfile sum = sum_of(profile.workers());
  EXPECT_GE(sum.without_cpu, 45ms);
  EXPECT_LE(sum.without_cpu, sum.useful + sum.scheduler + sum.searching);
}

TEST(Profile, HasTheCodeOfABoundThread) {
  Scheduler scheduler({.worker_count = 2, .bind_caller = true});
  Profile profile;
  // The thread must wait, because only itself may run the job.
  const auto wait = [] {
    Counter counter;
    spawn(counter, [] {}, {.on = worker(0)});
    counter.wait();
  };
  wait();
  compute_for(20ms);
  wait();
  profile.stop();
  EXPECT_GE(sum_of(profile.workers()).own_code, 19ms);
}

TEST(Profile, EndsWithItsStop) {
  // Waits, because the only worker must run the job.
  const auto work = [] {
    Counter counter;
    spawn(counter, [] {});
    counter.wait();
  };
  Profile around;
  Profile first;
  run_with(1, work);
  first.stop();
  first.stop();
  run_with(1, work);
  EXPECT_EQ(find(first.waits(), "EndsWithItsStop", "Counter").count, 1u);
  EXPECT_EQ(find(around.waits(), "EndsWithItsStop", "Counter").count, 2u);
}

TEST(Profile, IsNoRecording) {
  const Profile profile;
  EXPECT_FALSE(trace::is_recording());
  const trace::Zone zone("not stored");
  trace::message("not stored");
}

TEST(Profile, RunsBesideARecording) {
  Scheduler scheduler({.worker_count = 2});
  const trace::Recording recording;
  Profile profile;
  scheduler.run([] { compute_for(1ms); });
  profile.stop();
  EXPECT_TRUE(trace::is_recording());
  EXPECT_GE(sum_of(profile.workers()).useful, 1ms);
}

TEST(Profile, SharesOneEntryBetweenRarePlaces) {
  // A worker keeps 512 sites of waits.
  constexpr int kMutexes = 600;
  Scheduler scheduler({.worker_count = 1});
  Profile profile;
  std::vector<Mutex> mutexes(kMutexes);
  scheduler.run([&mutexes] {
    for (Mutex& mutex : mutexes) {
      mutex.lock();
      Fiber<void> fiber([&mutex] { const std::scoped_lock lock(mutex); });
      until_waiting(fiber);
      mutex.unlock();
      fiber.join();
    }
  });
  profile.stop();
  const ProfilePlace others = find(profile.waits(), "(others)");
  EXPECT_GE(others.count, 80u);
  EXPECT_LE(others.count, 100u + 1200u);
}

TEST(Profile, HasAText) {
  Scheduler scheduler({.worker_count = 2});
  Profile profile;
  EXPECT_THAT(Profile().text(), StartsWith("jobs: profile"));
  meet_on_all_workers(scheduler, 2);
  // A deadline that has passed before the sleep begins is no sleep.
  EXPECT_TRUE(is_true_in_time([&scheduler] {
    scheduler.run([] { this_fiber::sleep_for(1ms); });
    return scheduler.stats().timeouts != 0;
  }));
  profile.stop();
  const std::string text = profile.text();
  EXPECT_THAT(text, HasSubstr("\njobs:   worker 1 "));
  EXPECT_THAT(text, HasSubstr("\njobs:   all "));
  EXPECT_THAT(text, HasSubstr("sleep in "));
  EXPECT_THAT(text, HasSubstr("HasAText"));
}

}  // namespace
}  // namespace jobs::test
