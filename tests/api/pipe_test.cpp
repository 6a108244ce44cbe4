// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipe: jobs that run one after another.
#include "jobs/pipe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::ErrorCode;
using jobs::JobHandle;
using jobs::test::code_of;

class Pipe : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Pipe);

// Plain data: if two jobs overlapped, ThreadSanitizer would report a race.
TEST_P(Pipe, RunsItsJobsInOrder) {
  run([] {
    jobs::Pipe pipe;
    int count = 0;
    for (int i = 0; i < 1000; ++i)
      static_cast<void>(pipe.spawn([&count, i] { EXPECT_EQ(count++, i); }));
    pipe.wait();
    EXPECT_EQ(count, 1000);
  });
}

TEST_P(Pipe, KeepsTheTurnOfAJobThatSuspends) {
  run([] {
    jobs::Pipe pipe;
    jobs::Event go;
    int step = 0;
    const JobHandle first = pipe.spawn([&] {
      go.wait();
      EXPECT_EQ(step++, 0);
    });
    const JobHandle second = pipe.spawn([&] { EXPECT_EQ(step++, 1); });
    EXPECT_FALSE(second.wait_for(std::chrono::milliseconds(1)));
    go.signal();
    second.wait();
    EXPECT_EQ(step, 2);
  });
}

TEST_P(Pipe, RunsTheNextJobAfterAFailure) {
  run([] {
    jobs::Pipe pipe;
    const JobHandle fails = pipe.spawn([] { throw std::runtime_error("in the pipe"); });
    bool ran = false;
    const JobHandle next = pipe.spawn([&] { ran = true; });
    next.wait();
    EXPECT_TRUE(ran);
    pipe.wait();
    EXPECT_THROW(fails.wait(), std::runtime_error);
  });
}

TEST_P(Pipe, TakesJobsFromItsOwnJobs) {
  run([] {
    jobs::Pipe pipe;
    std::vector<int> order;
    JobHandle inner;
    const JobHandle outer = pipe.spawn([&] {
      inner = pipe.spawn([&] { order.push_back(2); });
      order.push_back(1);
    });
    outer.wait();
    inner.wait();
    EXPECT_EQ(order, (std::vector{1, 2}));
  });
}

TEST_P(Pipe, MayDieBeforeItsJobs) {
  run([] {
    jobs::Event go;
    int count = 0;
    JobHandle last;
    {
      jobs::Pipe pipe;
      static_cast<void>(pipe.spawn([&] { go.wait(); }));
      for (int i = 0; i < 10; ++i) last = pipe.spawn([&] { ++count; });
    }
    go.signal();
    last.wait();
    EXPECT_EQ(count, 10);
  });
}

TEST_P(Pipe, PutsAJobAfterAJobOfAnotherPipe) {
  run([] {
    jobs::Pipe reads, writes;
    int value = 0, seen = 0;
    const JobHandle write = writes.spawn([&] { value = 3; });
    const JobHandle read = jobs::spawn_after({write}, [&] { seen = value; });
    static_cast<void>(reads.spawn([&] { read.wait(); }));
    reads.wait();
    EXPECT_EQ(seen, 3);
  });
}

TEST(PipeRaces, KeepsTheOrderOfEachThread) {
  constexpr int kJobs = 3000;
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    jobs::Pipe pipe;
    int count = 0;
    int last[2] = {-1, -1};
    const auto outside = [&](int thread) {
      const jobs::SchedulerScope scope(scheduler);
      for (int i = 0; i < kJobs; ++i) {
        static_cast<void>(pipe.spawn([&, thread, i] {
          ++count;
          EXPECT_EQ(last[thread] + 1, i);
          last[thread] = i;
        }));
      }
      pipe.wait();
    };
    std::thread first(outside, 0), second(outside, 1);
    first.join();
    second.join();
    EXPECT_EQ(count, 2 * kJobs);
  }
}

TEST(PipeShutdown, RunsTheAppendedJobsAndRefusesMore) {
  jobs::Pipe pipe;
  std::atomic<int> runs = 0;
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  jobs::Event go;
  static_cast<void>(pipe.spawn([&] { go.wait(); }));
  for (int i = 0; i < 100; ++i) static_cast<void>(pipe.spawn([&] { ++runs; }));
  EXPECT_FALSE(scheduler.shutdown_for(std::chrono::milliseconds(5)));
  EXPECT_EQ(code_of([&] { static_cast<void>(pipe.spawn([] {})); }), ErrorCode::kStopped);
  go.signal();
  scheduler.shutdown();
  EXPECT_EQ(runs, 100);
}

}  // namespace
