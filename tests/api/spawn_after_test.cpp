// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn_after(), spawn_on_end(), spawn_at() and JobHandle.
#include "jobs/spawn_after.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::DependencyCount;
using jobs::ErrorCode;
using jobs::JobHandle;
using jobs::test::code_of;
using std::chrono::steady_clock;

class SpawnAfter : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(SpawnAfter);

// --- order ---------------------------------------------------------------------------------------

// The tests use plain variables: the dependencies order all accesses.
TEST_P(SpawnAfter, RunsAJobAfterItsPredecessors) {
  run([] {
    int left = 0, right = 0, sum = 0;
    const JobHandle a = jobs::spawn_after({}, [&] { left = 1; });
    const JobHandle b = jobs::spawn_after({}, [&] { right = 2; });
    const JobHandle c = jobs::spawn_after({a, b}, [&] { sum = left + right; });
    c.wait();
    EXPECT_EQ(sum, 3);
    EXPECT_TRUE(a.is_done() && b.is_done() && c.is_done());
  });
}

TEST_P(SpawnAfter, RunsAChainInOrder) {
  run([] {
    int count = 0;
    JobHandle last;
    for (int i = 0; i < 1000; ++i) {
      const auto next = [&count, i] { EXPECT_EQ(count++, i); };
      last = last ? jobs::spawn_after(last, next) : jobs::spawn_after({}, next);
    }
    last.wait();
    EXPECT_EQ(count, 1000);
  });
}

TEST_P(SpawnAfter, RunsAWavefront) {
  constexpr std::size_t kSide = 40;
  run([] {
    std::array<std::array<std::int64_t, kSide>, kSide> value{};
    std::vector<JobHandle> row(kSide);
    for (std::size_t y = 0; y < kSide; ++y) {
      for (std::size_t x = 0; x < kSide; ++x) {
        const auto node = [&value, x, y] {
          value[y][x] = x == 0 || y == 0 ? 1 : (value[y - 1][x] + value[y][x - 1]) % 1'000'007;
        };
        if (x == 0 && y == 0) {
          row[x] = jobs::spawn_after({}, node);
        } else if (x == 0 || y == 0) {
          row[x] = jobs::spawn_after(y == 0 ? row[x - 1] : row[x], node);
        } else {
          row[x] = jobs::spawn_after({row[x], row[x - 1]}, node);
        }
      }
    }
    row.back().wait();
    std::vector<std::int64_t> expected(kSide, 1);
    for (std::size_t y = 1; y < kSide; ++y)
      for (std::size_t x = 1; x < kSide; ++x)
        expected[x] = (expected[x] + expected[x - 1]) % 1'000'007;
    EXPECT_EQ(value[kSide - 1][kSide - 1], expected.back());
  });
}

TEST_P(SpawnAfter, TakesARangeOfPredecessors) {
  run([] {
    std::array<int, 100> values{};
    std::vector<JobHandle> parts;
    for (int& value : values) parts.push_back(jobs::spawn_after({}, [&value] { value = 1; }));
    int sum = 0;
    jobs::spawn_after(parts, [&] {
      for (const int value : values) sum += value;
    }).wait();
    EXPECT_EQ(sum, 100);
    bool ran = false;
    jobs::spawn_after(std::vector<JobHandle>(), [&] { ran = true; }).wait();
    EXPECT_TRUE(ran);
  });
}

TEST_P(SpawnAfter, StartsAtOnceAfterAJobThatHasEnded) {
  run([] {
    const JobHandle first = jobs::spawn_after({}, [] {});
    first.wait();
    int runs = 0;
    jobs::spawn_after({first, first}, [&] { ++runs; }).wait();
    EXPECT_EQ(runs, 1);
  });
}

TEST_P(SpawnAfter, RunsAJobWithoutHandles) {
  run([] {
    jobs::Event ran;
    static_cast<void>(jobs::spawn_after(jobs::spawn_after({}, [] {}), [&] { ran.signal(); }));
    ran.wait();
  });
}

TEST_P(SpawnAfter, DestroysTheClosureBeforeTheEnd) {
  run([] {
    auto value = std::make_shared<int>(1);
    const std::weak_ptr<int> observer = value;
    const JobHandle job = jobs::spawn_after({}, [value = std::move(value)] {});
    job.wait();
    EXPECT_TRUE(observer.expired()) << "although a handle exists";
  });
}

TEST_P(SpawnAfter, KeepsTheAlignmentOfAClosure) {
  struct alignas(128) Wide {
    char byte = 7;
  };
  run([] {
    bool aligned = false;
    const Wide wide;
    jobs::spawn_after({}, [wide, &aligned] {
      aligned = reinterpret_cast<std::uintptr_t>(&wide) % 128 == 0 && wide.byte == 7;
    }).wait();
    EXPECT_TRUE(aligned);
  });
}

TEST_P(SpawnAfter, LetsJobsSuspend) {
  run([] {
    jobs::Event go;
    const JobHandle waits = jobs::spawn_after({}, [&] { go.wait(); });
    bool ran = false;
    const JobHandle next = jobs::spawn_after({waits}, [&] { ran = true; });
    EXPECT_FALSE(next.wait_for(1ms));
    EXPECT_FALSE(ran);
    go.signal();
    next.wait();
    EXPECT_TRUE(ran);
  });
}

TEST_P(SpawnAfter, EndsAWaitByAStop) {
  run([] {
    std::stop_source stop;
    const JobHandle job = jobs::spawn_after(DependencyCount{1}, [] {});
    jobs::spawn([&] { stop.request_stop(); });
    EXPECT_FALSE(job.wait(stop.get_token()));
    job.remove_dependency();
    job.wait();
  });
}

// --- counters ------------------------------------------------------------------------------------

TEST_P(SpawnAfter, StartsWhenACounterReachesZero) {
  run([] {
    for (int round = 0; round < 100; ++round) {
      jobs::Counter counter;
      std::array<int, 8> values{};
      jobs::Event go;
      for (int& value : values) {
        jobs::spawn(counter, [&] {
          go.wait();
          value = 1;
        });
      }
      int sum = 0;
      const JobHandle after = jobs::spawn_after(counter, [&] {
        for (const int value : values) sum += value;
      });
      EXPECT_FALSE(after.is_done());
      go.signal();
      after.wait();
      EXPECT_EQ(sum, 8);
    }
  });
}

TEST_P(SpawnAfter, StartsAtOnceAfterACounterAtZero) {
  run([] {
    jobs::Counter counter;
    bool ran = false;
    jobs::spawn_after(counter, [&] { ran = true; }).wait();
    EXPECT_TRUE(ran);
  });
}

TEST_P(SpawnAfter, LeavesTheExceptionsOfACounterToItsWait) {
  run([] {
    jobs::Counter counter;
    jobs::spawn(counter, [] { throw std::runtime_error("in the counter"); });
    jobs::spawn_after(counter, [] {}).wait();
    EXPECT_THROW(counter.wait(), std::runtime_error);
  });
}

TEST_P(SpawnAfter, StartsWhenACounterHasFallenToANumber) {
  run([] {
    for (int round = 0; round < 10; ++round) {
      jobs::Counter counter(8);
      std::array<int, 8> values{};
      int sum = 0;
      const JobHandle after = jobs::spawn_after(counter, 3, [&] {
        for (int i = 0; i < 5; ++i) sum += values[static_cast<std::size_t>(i)];
      });
      for (std::size_t i = 0; i < 4; ++i) {
        values[i] = 1;
        counter.done();
        EXPECT_FALSE(after.wait_for(100us)) << 7 - i << " are outstanding";
      }
      values[4] = 1;
      counter.done();
      after.wait();
      EXPECT_EQ(sum, 5);
      for (int i = 0; i < 3; ++i) counter.done();
      counter.wait();
    }
  });
}

// The jobs that are outstanding wait for the job that starts at their number.
TEST_P(SpawnAfter, StartsWhileOtherJobsOfTheCounterRun) {
  run([] {
    for (int round = 0; round < 50; ++round) {
      jobs::Counter counter;
      jobs::Event started;
      std::atomic<int> ended = 0;
      for (int i = 0; i < 8; ++i) {
        jobs::spawn(counter, [&, i] {
          if (i % 2 == 0) started.wait();
          ++ended;
        });
      }
      const JobHandle after = jobs::spawn_after(counter, 4, [&] {
        EXPECT_EQ(ended, 4);
        started.signal();
      });
      counter.wait();
      after.wait();
      EXPECT_EQ(ended, 8);
    }
  });
}

TEST_P(SpawnAfter, StartsAtOnceIfNoMoreJobsAreOutstanding) {
  run([] {
    jobs::Counter counter(2);
    bool ran = false;
    jobs::spawn_after(counter, 2, [&] { ran = true; }).wait();
    EXPECT_TRUE(ran);
    counter.done();
    counter.done();
    jobs::spawn_after(counter, 0, [&] { ran = false; }).wait();
    EXPECT_FALSE(ran);
  });
}

// Several jobs and a fiber wait for different numbers of one counter.
TEST_P(SpawnAfter, StartsEachJobAtItsOwnNumber) {
  run([] {
    jobs::Counter counter(4);
    std::vector<JobHandle> after;
    for (std::size_t most = 0; most < 4; ++most)
      after.push_back(jobs::spawn_after(counter, most, [] {}));
    for (std::size_t most = 4; most-- > 0;) {
      for (std::size_t lower = 0; lower <= most; ++lower) EXPECT_FALSE(after[lower].is_done());
      counter.done();
      after[most].wait();
      counter.wait_until_at_most(most);
    }
    counter.wait();
  });
}

TEST_P(SpawnAfter, WaitsOnIfAnotherJobIsAddedBeforeTheNumber) {
  run([] {
    jobs::Counter counter(3);
    const JobHandle after = jobs::spawn_after(counter, 1, [] {});
    counter.done();
    counter.add();
    counter.done();
    EXPECT_FALSE(after.wait_for(1ms)) << "two are outstanding";
    counter.done();
    after.wait();
    counter.add(5);  // the job starts once
    for (int i = 0; i < 6; ++i) counter.done();
    counter.wait();
  });
}

TEST(SpawnAfterThreshold, StartsFromAThreadThatIsNoWorker) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    const jobs::SchedulerScope scope(scheduler);
    jobs::Counter counter(2);
    bool ran = false;
    const JobHandle after = jobs::spawn_after(counter, 1, [&] { ran = true; });
    std::thread([&] { counter.done(); }).join();
    after.wait();
    EXPECT_TRUE(ran);
    counter.done();
    counter.wait();
  }
}

struct SpawnAfterDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SpawnAfterDeathTest, RefusesTheEndOfACounterThatAJobWaitsFor) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        const jobs::SchedulerScope scope(scheduler);
        JobHandle after;
        jobs::Counter counter(2);
        after = jobs::spawn_after(counter, 1, [] {});
      },
      "Counter.*destroyed with jobs outstanding");
}

// --- points in time ------------------------------------------------------------------------------

TEST_P(SpawnAfter, StartsAtAPointInTime) {
  run([] {
    const auto when = steady_clock::now() + 20ms;
    std::optional<steady_clock::time_point> start;
    const JobHandle late = jobs::spawn_at(when, [&] { start = steady_clock::now(); });
    bool ran = false;
    const JobHandle after = jobs::spawn_after({late}, [&] { ran = true; });
    after.wait();
    EXPECT_GE(*start, when);
    EXPECT_TRUE(ran);
    jobs::spawn_at(steady_clock::now() - 1s, [] {}).wait();
  });
}

// A job that is late may start after a job of a later time: two workers take the two. The order is
// that of the times if each job starts before the time of the next one. A busy machine needs longer
// distances.
TEST_P(SpawnAfter, StartsTimedJobsInTheOrderOfTheirTimes) {
  run([] {
    bool in_time = false;
    for (auto distance = 20ms; !in_time && distance < 3s; distance *= 2) {
      const auto first = steady_clock::now() + distance;
      const auto time_of = [&](std::size_t i) { return first + distance * static_cast<int>(i); };
      std::array<steady_clock::time_point, 4> starts{};
      std::vector<JobHandle> handles;
      for (const std::size_t i : {3u, 1u, 2u, 0u})
        handles.push_back(jobs::spawn_at(time_of(i), [&, i] { starts[i] = steady_clock::now(); }));
      jobs::spawn_after(handles, [] {}).wait();
      in_time = true;
      for (std::size_t i = 0; i < starts.size(); ++i) {
        EXPECT_GE(starts[i], time_of(i));
        in_time = in_time && starts[i] < time_of(i + 1);
      }
    }
    EXPECT_TRUE(in_time);
  });
}

TEST_P(SpawnAfter, AddsDependenciesToATimedJob) {
  run([] {
    // A busy machine may start the job before the call that adds the dependency.
    bool is_added = false;
    for (auto delay = 20ms; !is_added && delay < 3s; delay *= 2) {
      bool ran = false;
      const auto when = steady_clock::now() + delay;
      const JobHandle job = jobs::spawn_at(when, [&] { ran = true; });
      is_added = !code_of([&] { job.add_dependency(); });
      if (is_added) {
        EXPECT_FALSE(job.wait_for(2 * delay));
        EXPECT_FALSE(ran);
        job.remove_dependency();
      } else {
        EXPECT_GE(steady_clock::now(), when);
      }
      job.wait();
      EXPECT_TRUE(ran);
    }
    EXPECT_TRUE(is_added);
  });
}

// --- dependencies by hand ------------------------------------------------------------------------

TEST_P(SpawnAfter, StartsWhenTheLastDependencyIsRemoved) {
  run([] {
    int value = 0, seen = 0;
    const JobHandle job = jobs::spawn_after(DependencyCount{2}, [&] { seen = value; });
    job.add_dependency(2);
    job.remove_dependency(3);
    EXPECT_FALSE(job.wait_for(1ms));
    value = 5;
    job.remove_dependency();
    job.wait();
    EXPECT_EQ(seen, 5);
  });
}

TEST_P(SpawnAfter, MixesNumbersAndHandles) {
  run([] {
    jobs::Event go;
    const JobHandle first = jobs::spawn_after({}, [&] { go.wait(); });
    const JobHandle ended = jobs::spawn_after({}, [] {});
    ended.wait();
    bool ran = false;
    const JobHandle job = jobs::spawn_after(DependencyCount{1}, [&] { ran = true; });
    job.add_dependency(first);
    job.add_dependency(ended);
    job.remove_dependency();
    EXPECT_FALSE(job.wait_for(1ms));
    go.signal();
    job.wait();
    EXPECT_TRUE(ran);
  });
}

TEST_P(SpawnAfter, RefusesDependenciesAfterTheStart) {
  run([] {
    const JobHandle job = jobs::spawn_after(DependencyCount{0}, [] {});
    const auto is_refused = [](auto call) { return code_of(call) == ErrorCode::kBadArgument; };
    EXPECT_TRUE(is_refused([&] { job.add_dependency(); }));
    EXPECT_TRUE(is_refused([&] { job.add_dependency(jobs::spawn_after({}, [] {})); }));
    EXPECT_TRUE(is_refused([&] { job.remove_dependency(); }));
    job.wait();
    EXPECT_TRUE(is_refused([&] { job.add_dependency(); }));
    EXPECT_TRUE(is_refused([&] { job.remove_dependency(); }));
  });
}

TEST_P(SpawnAfter, RefusesToRemoveADependencyOnAnObject) {
  run([] {
    std::atomic<bool> first_ran{false};
    std::atomic<bool> in_order{false};
    const JobHandle first = jobs::spawn_after(DependencyCount{1}, [&] { first_ran = true; });
    {
      const JobHandle second = jobs::spawn_after(first, [&] { in_order = first_ran.load(); });
      EXPECT_EQ(code_of([&] { second.remove_dependency(); }), ErrorCode::kBadArgument);
      second.add_dependency(2);
      EXPECT_EQ(code_of([&] { second.remove_dependency(3); }), ErrorCode::kBadArgument);
      second.remove_dependency();
      second.remove_dependency();
      EXPECT_EQ(code_of([&] { second.remove_dependency(); }), ErrorCode::kBadArgument);
      second.add_dependency(jobs::spawn_after({}, [] {}));
      EXPECT_EQ(code_of([&] { second.remove_dependency(); }), ErrorCode::kBadArgument);
      first.remove_dependency();
      second.wait();
    }
    EXPECT_TRUE(in_order);
  });
}

TEST_P(SpawnAfter, RefusesToRemoveMoreDependenciesThanTheJobHas) {
  run([] {
    bool ran = false;
    const JobHandle job = jobs::spawn_after(DependencyCount{2}, [&] { ran = true; });
    EXPECT_EQ(code_of([&] { job.remove_dependency(3); }), ErrorCode::kBadArgument);
    EXPECT_EQ(code_of([&] { job.add_dependency(job); }), ErrorCode::kBadArgument);
    EXPECT_EQ(code_of([&] { job.add_dependency(std::size_t{1} << 30); }), ErrorCode::kBadArgument);
    EXPECT_EQ(code_of([&] { job.remove_dependency(std::size_t{1} << 33); }),
              ErrorCode::kBadArgument);
    EXPECT_FALSE(job.wait_for(1ms)) << "nothing was changed";
    job.remove_dependency(2);
    job.wait();
    EXPECT_TRUE(ran);
  });
}

// --- failures ------------------------------------------------------------------------------------

TEST_P(SpawnAfter, RethrowsTheExceptionOfTheJobInEachWait) {
  run([] {
    const JobHandle job = jobs::spawn_after({}, [] { throw std::runtime_error("job"); });
    EXPECT_THROW(job.wait(), std::runtime_error);
    EXPECT_THROW(static_cast<void>(job.wait_for(1s)), std::runtime_error);
    EXPECT_TRUE(job.is_done());
  });
}

TEST_P(SpawnAfter, LeavesOutTheSuccessorsOfAFailedJob) {
  run([] {
    bool ran = false;
    const JobHandle fails = jobs::spawn_after(DependencyCount{1}, [] { throw 7; });
    const JobHandle next =
        jobs::spawn_after({fails, jobs::spawn_after({}, [] {})}, [&] { ran = true; });
    const JobHandle last = jobs::spawn_after({next}, [&] { ran = true; });
    fails.remove_dependency();
    EXPECT_THROW(last.wait(), int);
    EXPECT_THROW(jobs::spawn_after({last}, [&] { ran = true; }).wait(), int)
        << "a successor of a job that has ended";
    EXPECT_FALSE(ran);
  });
}

TEST_P(SpawnAfter, RunsACompletionActionAfterAFailure) {
  run([] {
    int runs = 0;
    const JobHandle fails = jobs::spawn_after({}, [] { throw 7; });
    jobs::spawn_on_end(fails, [&] { ++runs; }).wait();
    jobs::spawn_on_end(jobs::spawn_after({fails}, [] {}), [&] { ++runs; }).wait();
    EXPECT_EQ(runs, 2);
    EXPECT_THROW(fails.wait(), int);
  });
}

TEST(SpawnAfterFailure, GoesToTheHookIfNoWaitHasRethrownIt) {
  std::atomic<int> unhandled = 0;
  const auto hook = [&](std::exception_ptr) { ++unhandled; };
  {
    jobs::Scheduler scheduler({.worker_count = 2, .on_unhandled = hook});
    scheduler.run([] { static_cast<void>(jobs::spawn_after({}, [] { throw 1; })); });
  }
  EXPECT_EQ(unhandled, 1) << "a job without a handle";
  JobHandle outlives;
  {
    jobs::Scheduler scheduler({.worker_count = 2, .on_unhandled = hook});
    outlives = scheduler.run([] {
      const JobHandle fails = jobs::spawn_after({}, [] { throw 1; });
      return jobs::spawn_after({fails}, [] {});
    });
  }
  EXPECT_EQ(unhandled, 1) << "a successor has a handle";
  outlives = {};
  EXPECT_EQ(unhandled, 2) << "after the scheduler";
  {
    jobs::Scheduler scheduler({.worker_count = 2, .on_unhandled = hook});
    scheduler.run([] {
      const JobHandle fails = jobs::spawn_after({}, [] { throw 1; });
      static_cast<void>(jobs::spawn_after({fails}, [] {}));
      EXPECT_THROW(fails.wait(), int);
    });
  }
  EXPECT_EQ(unhandled, 2) << "one wait suffices";
}

// --- misuse --------------------------------------------------------------------------------------

TEST(JobHandle, RefusesEveryCallIfItIsEmpty) {
  const JobHandle empty;
  EXPECT_FALSE(empty);
  EXPECT_EQ(code_of([&] { empty.wait(); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { static_cast<void>(empty.is_done()); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { empty.add_dependency(); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { empty.remove_dependency(); }), ErrorCode::kBadArgument);
  EXPECT_EQ(code_of([&] { static_cast<void>(jobs::spawn_after({empty}, [] {})); }),
            ErrorCode::kBadArgument);
}

TEST_P(SpawnAfter, RefusesAJobThatWaitsForItself) {
  run([] {
    JobHandle self;
    std::optional<ErrorCode> code;
    self = jobs::spawn_after(DependencyCount{1}, [&] { code = code_of([&] { self.wait(); }); });
    self.remove_dependency();
    self.wait();
    EXPECT_EQ(code, ErrorCode::kBadArgument);
  });
}

TEST(JobHandle, OutlivesTheScheduler) {
  JobHandle job;
  {
    jobs::Scheduler scheduler({.worker_count = 2});
    job = scheduler.run([] { return jobs::spawn_after({}, [] {}); });
  }
  EXPECT_TRUE(job.is_done());
  job.wait();
}

// --- several schedulers, shutdown ----------------------------------------------------------------

TEST(SpawnAfterSchedulers, StartsAfterAJobOfAnotherScheduler) {
  for (int round = 0; round < 200; ++round) {
    jobs::Scheduler first({.worker_count = 2});
    JobHandle before = first.run([] { return jobs::spawn_after(DependencyCount{1}, [] {}); });
    {
      jobs::Scheduler second({.worker_count = 1});
      bool ran = false;
      const JobHandle after =
          second.run([&] { return jobs::spawn_after({before}, [&] { ran = true; }); });
      before.remove_dependency();
      after.wait();
      EXPECT_TRUE(ran);
    }  // a worker of `first` may still be inside of the submission
  }
}

TEST(SpawnAfterShutdown, WaitsForJobsThatWait) {
  bool ran = false;
  JobHandle job;
  jobs::Scheduler scheduler({.worker_count = 2});
  job = scheduler.run([&] { return jobs::spawn_after(DependencyCount{1}, [&] { ran = true; }); });
  EXPECT_FALSE(scheduler.shutdown_for(10ms)) << "a dependency is not met";
  EXPECT_EQ(scheduler.report().waiting_jobs, 1u);
  EXPECT_THAT(scheduler.report().text(), testing::HasSubstr("1 job waits for"));
  EXPECT_EQ(code_of([&] { const jobs::SchedulerScope scope(scheduler); }), ErrorCode::kStopped);
  job.remove_dependency();
  EXPECT_TRUE(scheduler.shutdown_for(10s));
  EXPECT_TRUE(ran && job.is_done());
}

TEST(SpawnAfterShutdown, WaitsForTimedJobs) {
  bool ran = false;
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run(
      [&] { static_cast<void>(jobs::spawn_at(steady_clock::now() + 30ms, [&] { ran = true; })); });
  scheduler.shutdown();
  EXPECT_TRUE(ran);
}

TEST(SpawnAfterShutdown, RefusesJobsFromOutside) {
  jobs::Scheduler scheduler({.worker_count = 1});
  const jobs::SchedulerScope scope(scheduler);
  scheduler.shutdown();
  auto value = std::make_shared<int>(1);
  const auto is_refused = [](auto call) { return code_of(call) == ErrorCode::kStopped; };
  EXPECT_TRUE(is_refused([&] { static_cast<void>(jobs::spawn_after({}, [value] {})); }));
  EXPECT_TRUE(
      is_refused([&] { static_cast<void>(jobs::spawn_at(steady_clock::now(), [value] {})); }));
  EXPECT_EQ(value.use_count(), 1) << "the closures are destroyed";
}

// --- costs ---------------------------------------------------------------------------------------

// One allocation of at most 128 bytes: the job, the closure, and an entry per predecessor.
TEST(SpawnAfterCost, IsAtMost128BytesForTwoPredecessors) {
  using jobs::detail::ClosureJob;
  using jobs::detail::Successor;
  const auto size_of = [](auto closure, std::size_t predecessors) {
    return sizeof(ClosureJob<decltype(closure), Successor>) + predecessors * sizeof(Successor);
  };
  const auto empty = [] {};
  const auto small = [a = static_cast<void*>(nullptr), b = static_cast<void*>(nullptr)] {
    return a == b;
  };
  EXPECT_EQ(size_of(empty, 1), 96u);
  EXPECT_EQ(size_of(empty, 2), 112u);
  EXPECT_LE(size_of(small, 2), 128u);
}

// One allocation: the job, a closure of one pointer, and the wait for the counter.
TEST(SpawnAfterCost, IsAtMost128BytesForACounter) {
  using jobs::detail::ClosureJob;
  using jobs::detail::CounterWait;
  using jobs::detail::ThresholdWait;
  const auto size_of = []<class Trailer>(auto closure, std::type_identity<Trailer>) {
    return sizeof(ClosureJob<decltype(closure), Trailer>) + sizeof(Trailer);
  };
  const auto small = [a = static_cast<void*>(nullptr)] { return a == nullptr; };
  EXPECT_LE(size_of(small, std::type_identity<CounterWait>()), 128u);
  EXPECT_LE(size_of(small, std::type_identity<ThresholdWait>()), 160u);
}

// Far more jobs wait than the scheduler has fibers.
TEST(SpawnAfterCost, IsNoFiberPerJobThatWaits) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 4});
  const jobs::SchedulerScope scope(scheduler);
  std::atomic<int> ran = 0;
  const JobHandle first = jobs::spawn_after(DependencyCount{1}, [&] { ++ran; });
  std::vector<JobHandle> after;
  for (int i = 0; i < 1000; ++i) {
    after.push_back(jobs::spawn_after({first}, [&] { ++ran; }));
    after.push_back(jobs::spawn_after({first, after.back()}, [&] { ++ran; }));
  }
  first.remove_dependency();
  for (const JobHandle& job : after) job.wait();
  EXPECT_EQ(ran, 2001);
}

// --- races ---------------------------------------------------------------------------------------

// Links race with ends, removals with removals, releases of handles with each other.
TEST(SpawnAfterRaces, RunsEachJobOnceAfterItsPredecessors) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    std::atomic<int> runs = 0;
    std::vector<JobHandle> open;
    const auto outside = [&](unsigned thread) {
      const jobs::SchedulerScope scope(scheduler);
      std::vector<JobHandle> mine(4);
      for (JobHandle& job : mine) job = jobs::spawn_after({}, [&] { ++runs; });
      for (int i = 0; i < 2000; ++i) {
        const std::size_t a = static_cast<std::size_t>(i) % 4, b = (a + thread + 1) % 4;
        const JobHandle held = jobs::spawn_after(DependencyCount{1}, [&] { ++runs; });
        held.add_dependency(mine[a]);
        const JobHandle x = mine[a], y = mine[b];
        mine[b] = jobs::spawn_after({held, mine[a], mine[b]}, [&runs, x, y] {
          EXPECT_TRUE(x.is_done() && y.is_done());
          ++runs;
        });
        held.remove_dependency();
      }
      for (const JobHandle& job : mine) job.wait();
    };
    std::thread first(outside, 0), second(outside, 1);
    first.join();
    second.join();
    EXPECT_EQ(runs, 2 * (4 + 2 * 2000));
  }
}

// Threads bring a counter down while jobs wait for numbers of it. Counters follow each other at one
// address, so that a thread that is late meets the next one.
TEST(SpawnAfterRaces, StartsEachJobOfANumberOnceAndNotEarly) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    const jobs::SchedulerScope scope(scheduler);
    std::optional<jobs::Counter> counter;
    for (int round = 0; round < 1000; ++round) {
      constexpr int kCount = 6;
      counter.emplace();
      std::atomic<int> ended = 0;
      std::atomic<int> runs = 0;
      std::vector<JobHandle> after;
      for (int i = 0; i < kCount; ++i) jobs::spawn(*counter, [&] { ++ended; });
      for (int most = 0; most < kCount; ++most) {
        after.push_back(jobs::spawn_after(*counter, static_cast<std::size_t>(most), [&, most] {
          EXPECT_GE(ended, kCount - most);
          ++runs;
        }));
      }
      for (const JobHandle& job : after) job.wait();
      counter->wait();
      EXPECT_EQ(runs, kCount);
    }
  }
}

}  // namespace
