// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Priorities of jobs: the order, the starvation of none, the number of workers that run background
// jobs, and the drain. placement_test.cpp and fairness_test.cpp have the tests of critical jobs
// inside of loops.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Priority;
using jobs::SpawnOptions;
using Clock = std::chrono::steady_clock;

constexpr std::array kAll = {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                             Priority::kLow, Priority::kBackground};

char digit(Priority priority) { return static_cast<char>('0' + static_cast<int>(priority)); }

class Priorities : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Priorities);

TEST_P(Priorities, BeginInTheirOrder) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    std::string order;
    jobs::Counter done;
    for (auto at = kAll.rbegin(); at != kAll.rend(); ++at) {
      for (const jobs::Place& place : {jobs::anywhere, jobs::not_main_thread, jobs::worker(0)}) {
        jobs::spawn(done, [&order, c = digit(*at)] { order += c; }, {.on = place, .priority = *at});
      }
    }
    done.wait();
    EXPECT_EQ(order, "000111222333444");
  });
}

TEST_P(Priorities, RunJobsOfOnePriorityInFifoOrder) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    for (const Priority priority : kAll) {
      if (priority == Priority::kNormal) continue;  // newest first
      std::vector<int> order;
      jobs::Counter done;
      for (int i = 0; i < 20; ++i)
        jobs::spawn(done, [&order, i] { order.push_back(i); }, {.priority = priority});
      done.wait();
      for (int i = 0; i < 20; ++i) EXPECT_EQ(order.at(static_cast<std::size_t>(i)), i);
    }
  });
}

TEST_P(Priorities, KeepTheirPlaces) {
  run([&] {
    jobs::Counter done;
    std::atomic<int> ran{0};
    std::atomic<int> astray{0};
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 200; ++i) {
      for (const Priority priority : kAll) {
        jobs::spawn(done, [&] { ++ran; }, {.priority = priority});
        jobs::spawn(done, [&] { ++ran; }, {.on = jobs::not_main_thread, .priority = priority});
        jobs::spawn(done,
                    [&, index = i % workers] {
                      ++ran;
                      astray += jobs::worker_index() != std::optional(index) ? 1 : 0;
                    },
                    {.on = jobs::worker(i % workers), .priority = priority});
      }
    }
    done.wait();
    EXPECT_EQ(ran, 3'000);
    EXPECT_EQ(astray, 0);
  });
}

TEST_P(Priorities, RefuseOtherValues) {
  run([&] {
    for (const int value : {5, 255}) {
      for (const jobs::Place& place : {jobs::anywhere, jobs::not_main_thread, jobs::worker(0)}) {
        jobs::Counter none;
        EXPECT_EQ(jobs::test::code_of([&] {
                    jobs::spawn(none, [] { ADD_FAILURE() << "it must not run"; },
                                {.on = place, .priority = static_cast<Priority>(value)});
                  }),
                  jobs::ErrorCode::kBadArgument);
        none.wait();
      }
    }
  });
}

// A job that spawns its successor with the same options until it is told to stop.
void flood(jobs::Counter& done, const std::atomic<bool>& enough, const SpawnOptions& options) {
  jobs::spawn(
      done,
      [&done, &enough, options] {
        if (!enough) flood(done, enough, options);
      },
      options);
}

TEST_P(Priorities, StarveNoOtherOne) {
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (const Priority priority : kAll) {
      jobs::Counter done;
      jobs::Counter others;
      std::atomic<bool> enough{false};
      for (unsigned i = 0; i < workers; ++i) {
        flood(done, enough, {.priority = priority});
        flood(done, enough, {.on = jobs::worker(i), .priority = priority});
      }
      for (const Priority other : kAll) {
        jobs::spawn(others, [] { jobs::yield(); }, {.priority = other});
        jobs::spawn(others, [] {}, {.on = jobs::worker(workers - 1), .priority = other});
        jobs::spawn(others, [] {}, {.on = jobs::not_main_thread, .priority = other});
      }
      others.wait();
      enough = true;
      done.wait();
    }
  });
}

// Two fibers of each worker are always ready.
TEST_P(Priorities, AreNotStarvedByFibers) {
  run([&] {
    jobs::Counter others;
    jobs::Counter fibers;
    std::atomic<bool> enough{false};
    for (unsigned i = 0; i < jobs::worker_count(); ++i) {
      for (int k = 0; k < 2; ++k) {
        jobs::spawn(fibers,
                    [&] {
                      while (!enough) jobs::yield();
                    },
                    {.on = jobs::worker(i)});
      }
    }
    for (const Priority priority : kAll) {
      jobs::spawn(others, [] {}, {.priority = priority});
      jobs::spawn(others, [] {}, {.on = jobs::worker(0), .priority = priority});
    }
    others.wait();
    enough = true;
    fibers.wait();
  });
}

// A sleeping worker wakes up for each priority, also if only some workers may take the job.
TEST(PriorityWake, WakesAWorker) {
  for (const bool bound : {false, true}) {
    jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = bound});
    for (const Priority priority : kAll) {
      std::this_thread::sleep_for(20ms);  // The workers park.
      std::thread([&] {
        for (const jobs::Place& place : {jobs::anywhere, jobs::not_main_thread, jobs::worker(1)}) {
          if (bound && place == jobs::anywhere) continue;  // may wait for the bound thread
          jobs::Counter done;
          scheduler.spawn(done, [] {}, {.on = place, .priority = priority});
          done.wait();
        }
      }).join();
    }
  }
}

TEST(PriorityShutdown, RunsAllQueuedJobs) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    std::atomic<int> ran{0};
    {
      jobs::Scheduler scheduler({.worker_count = workers});
      for (int i = 0; i < 100; ++i) {
        for (const Priority priority : kAll) {
          scheduler.spawn([&] { ++ran; }, {.priority = priority});
          scheduler.spawn([&] { ++ran; }, {.on = jobs::worker(0), .priority = priority});
        }
      }
    }
    EXPECT_EQ(ran, 1'000);
  }
}

// While normal jobs never end, long low jobs run at most once in 10 ms, and once in a while.
TEST(PriorityShare, OfLowerJobsIsBounded) {
  for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
    jobs::Scheduler scheduler({.worker_count = 1});
    jobs::Counter done;
    std::atomic<bool> enough{false};
    std::atomic<int> ran{0};
    scheduler.spawn(done, [&] { flood(done, enough, {}); });
    const auto start = Clock::now();
    for (int i = 0; i < 200; ++i) {
      scheduler.spawn(done,
                      [&] {
                        if (enough) return;
                        ++ran;
                        std::this_thread::sleep_for(2ms);
                      },
                      {.priority = priority});
    }
    while (ran < 3) std::this_thread::sleep_for(1ms);
    const int now = ran;
    const auto time = Clock::now() - start;
    enough = true;
    done.wait();
    EXPECT_LE(now, time / (priority == Priority::kLow ? 10ms : 100ms) + 1);
  }
}

// --- max_background_workers ----------------------------------------------------------------------

class BackgroundWorkers : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, BackgroundWorkers, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

constexpr SpawnOptions kBackground = {.priority = Priority::kBackground};

void spin_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

TEST_P(BackgroundWorkers, AreNoMoreThanTheLimit) {
  for (const unsigned limit : {1u, 2u}) {
    std::atomic<unsigned> running{0};
    std::atomic<unsigned> most{0};
    std::atomic<int> ran{0};
    {
      jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = limit});
      for (int i = 0; i < 100; ++i) {
        for (const jobs::Place& place : {jobs::anywhere, jobs::not_main_thread}) {
          scheduler.spawn(
              [&] {
                const unsigned now = ++running;
                for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::sleep_for(100us);
                --running;
                ++ran;
              },
              {.on = place, .priority = Priority::kBackground});
          scheduler.spawn([] {});
        }
      }
    }
    EXPECT_LE(most, limit);
    EXPECT_EQ(ran, 200);
  }
}

TEST_P(BackgroundWorkers, ReachTheLimit) {
  if (GetParam() == 1) GTEST_SKIP() << "one worker runs one job at a time";
  jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = 2});
  for (int i = 0; i < 20; ++i) {
    jobs::Counter done;
    std::array<std::atomic<bool>, 2> begun{};
    for (std::size_t job = 0; job < 2; ++job) {
      scheduler.spawn(
          done,
          [&, job] {
            begun[job] = true;
            spin_until(begun[1 - job]);
          },
          kBackground);
    }
    done.wait();
  }
}

// The job that waits would otherwise keep the only turn from the job that it waits for.
TEST_P(BackgroundWorkers, DoNotCountWhileTheirJobsWait) {
  jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = 1});
  for (int i = 0; i < 20; ++i) {
    jobs::Counter done;
    jobs::Event ready;
    scheduler.spawn(done, [&] { ready.wait(); }, kBackground);
    scheduler.spawn(done, [&] { jobs::yield(); }, kBackground);
    scheduler.spawn(done, [&] { ready.signal(); }, kBackground);
    done.wait();
  }
}

// The worker that has the only turn always has a ready fiber.
TEST_P(BackgroundWorkers, DoNotCountWhileFibersAreReady) {
  jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = 1});
  jobs::Counter done;
  jobs::Event ready;
  std::atomic<bool> enough{false};
  for (unsigned i = 0; i < GetParam(); ++i) {
    for (int k = 0; k < 2; ++k) {
      scheduler.spawn(done,
                      [&] {
                        while (!enough) jobs::yield();
                      },
                      {.on = jobs::worker(i)});
    }
  }
  scheduler.spawn(done, [&] { ready.wait(); }, kBackground);
  scheduler.spawn(
      done,
      [&] {
        ready.signal();
        enough = true;
      },
      kBackground);
  done.wait();
}

// The first background job wakes a fiber on its worker. This fiber waits, without releasing the
// worker, for the second background job, which another worker must begin.
TEST_P(BackgroundWorkers, DoNotCountAfterTheirJobs) {
  if (GetParam() == 1) GTEST_SKIP() << "no other worker exists";
  jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = 1});
  for (int i = 0; i < 20; ++i) {
    jobs::Counter done;
    jobs::Counter fibers;
    std::vector<jobs::Event> ended(GetParam());
    std::atomic<bool> second{false};
    std::atomic<bool> stop{false};
    for (unsigned w = 0; w < GetParam(); ++w) {
      scheduler.spawn(fibers,
                      [&, w] {
                        ended[w].wait();
                        if (!stop) spin_until(second);
                      },
                      {.on = jobs::worker(w)});
    }
    scheduler.spawn(done, [&] { ended[jobs::worker_index().value()].signal(); }, kBackground);
    scheduler.spawn(done, [&] { second = true; }, kBackground);
    done.wait();
    stop = true;
    for (jobs::Event& event : ended) event.signal();
    fibers.wait();
  }
}

TEST_P(BackgroundWorkers, DoNotCountForJobsOfOneWorker) {
  if (GetParam() == 1) GTEST_SKIP() << "no other worker exists";
  jobs::Scheduler scheduler({.worker_count = GetParam(), .max_background_workers = 1});
  jobs::Counter done;
  std::atomic<bool> begun{false};
  scheduler.spawn(
      done,
      [&] {
        const unsigned other = jobs::worker_index() == 0 ? 1 : 0;
        jobs::spawn(done, [&] { begun = true; },
                    {.on = jobs::worker(other), .priority = Priority::kBackground});
        spin_until(begun);
      },
      kBackground);
  done.wait();
}

}  // namespace
