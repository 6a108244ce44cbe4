// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Priorities of jobs: the order, the starvation of none, and the drain. placement_test.cpp and
// fairness_test.cpp have the tests of critical jobs inside of loops.
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
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "tests/support/before_due.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Priority;
using jobs::SpawnOptions;
using Clock = std::chrono::steady_clock;

constexpr std::array kAll = {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                             Priority::kLow, Priority::kBackground};

void compute(Clock::duration time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

char digit(Priority priority) { return static_cast<char>('0' + static_cast<int>(priority)); }

class Priorities : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Priorities);

TEST_P(Priorities, BeginInTheirOrder) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    const auto order_of_jobs = [] {
      std::string order;
      jobs::Counter done;
      for (auto at = kAll.rbegin(); at != kAll.rend(); ++at) {
        for (const jobs::Place& place : {jobs::anywhere, jobs::not_main_thread, jobs::worker(0)}) {
          jobs::spawn(done, [&order, c = digit(*at)] { order += c; },
                      {.on = place, .priority = *at});
        }
      }
      done.wait();
      return order;
    };
    EXPECT_EQ(jobs::test::before_due(jobs::test::kLowDue, order_of_jobs), "000111222333444");
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

// A loop of long iterations gives way to one high job after each of them, and the loop of such a
// job gives way to none.
TEST_P(Priorities, LetHighJobsBeginBetweenLongIterations) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    std::string order;
    jobs::Counter done;
    jobs::parallel_for(0, 4, [&](int i) {
      for (char job : {'a', 'b'}) {
        if (i != 0) continue;
        const auto high = [&order, job] {
          jobs::parallel_for(0, 2, [&](int) {
            compute(2ms);
            order += job;
          });
        };
        jobs::spawn(done, high, {.priority = Priority::kHigh});
        jobs::spawn(done, [&order] { order += 'n'; });
      }
      compute(2ms);
      order += digit(Priority{static_cast<unsigned char>(i)});
    });
    done.wait();
    EXPECT_EQ(order, "0aa1bb23nn");
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
    std::atomic<bool> floods{false};
    std::atomic<int> ran{0};
    scheduler.spawn(done, [&] {
      flood(done, enough, {});
      floods = true;
    });
    while (!floods) std::this_thread::yield();  // before that, low jobs have no limit
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

}  // namespace
