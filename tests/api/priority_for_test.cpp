// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops with a LoopPriority: the iterations that run, the options, and how parts give way.
#include "jobs/priority_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/grid_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::LoopPriority;
using jobs::Priority;
using std::chrono_literals::operator""us;

constexpr std::array kAll = {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                             Priority::kLow, Priority::kBackground};

class PriorityFor : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(PriorityFor);

bool all_are(const std::vector<int>& counts, int expected) {
  return std::all_of(counts.begin(), counts.end(),
                     [expected](int count) { return count == expected; });
}

TEST_P(PriorityFor, RunsEachIterationOnceWithAllOptions) {
  run([] {
    jobs::AffinityPartition affinity;
    jobs::StaticPartition equal;
    const std::stop_source never;
    for (const Priority value : kAll) {
      const LoopPriority priority(value);
      for (const int n : {0, 1, 2, 7, 1000}) {
        std::vector<int> counts(static_cast<std::size_t>(n));
        const auto count = [&](int i) { ++counts[static_cast<std::size_t>(i)]; };
        const auto part = [&](int begin, int end) {
          for (int i = begin; i < end; ++i) count(i);
        };
        jobs::parallel_for(0, n, count, priority);
        jobs::parallel_for(0, n, part, priority, jobs::Grain(3));
        jobs::parallel_for(0, n, count, priority, jobs::LoopLimit(2));
        jobs::parallel_for(0, n, count, priority, jobs::LoopLimit(2), jobs::Grain(3));
        jobs::parallel_for(0, n, part, priority, never.get_token());
        jobs::parallel_for(0, n, count, priority, never.get_token(), jobs::Grain(3));
        jobs::parallel_for(0, n, count, priority, affinity);
        jobs::parallel_for(0, n, part, priority, equal);
        jobs::parallel_for(counts, [](int& element) { ++element; }, priority);
        jobs::parallel_for(counts, [](int& element) { ++element; }, priority, affinity);
        jobs::parallel_for(0, n, 1, count, priority);
        jobs::parallel_for(
            jobs::Grid(n, 1), [&](int row, int) { count(row); }, priority, jobs::Grain(4));
        EXPECT_TRUE(all_are(counts, 12)) << "for " << n;
      }
    }
  });
}

TEST_P(PriorityFor, DividesAtMultiplesOfTheGrain) {
  run([] {
    std::atomic<int> covered{0};
    jobs::parallel_for(
        5, 42,
        [&](int begin, int end) {
          EXPECT_EQ((begin - 5) % 10, 0);
          EXPECT_EQ(end, std::min(begin + 10, 42));
          covered += end - begin;
        },
        LoopPriority(Priority::kLow), jobs::Grain(10));
    EXPECT_EQ(covered, 37);
  });
}

TEST_P(PriorityFor, KeepsItsLimit) {
  run([] {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    jobs::parallel_for(
        0, 200,
        [&](int) {
          const int now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          jobs::yield();
          --inside;
        },
        LoopPriority(Priority::kHigh), jobs::LoopLimit(2), jobs::Grain(1));
    EXPECT_LE(most, 2);
  });
}

TEST_P(PriorityFor, ThrowsTheExceptionOfTheLowestIndexThatThrew) {
  run([] {
    for (const Priority priority : kAll) {
      try {
        jobs::parallel_for(0, 100, [](int i) { throw i; }, LoopPriority(priority), jobs::Grain(1));
        ADD_FAILURE() << "expected an exception";
      } catch (const int i) {
        EXPECT_EQ(i, 0);
      }
    }
  });
}

TEST_P(PriorityFor, EndsAtAStop) {
  run([] {
    std::stop_source stop;
    std::atomic<int> ran{0};
    EXPECT_THROW(jobs::parallel_for(
                     0, 1'000'000'000,
                     [&](int) {
                       if (++ran == 100) stop.request_stop();
                     },
                     LoopPriority(Priority::kLow), stop.get_token()),
                 jobs::Cancelled);
    EXPECT_LT(ran, 1'000'000'000);
  });
}

// The bodies run loops of other priorities, and wait for each other.
TEST_P(PriorityFor, NestsAndWaits) {
  run([] {
    std::atomic<int> ran{0};
    for (const Priority outer : kAll) {
      for (const Priority inner : kAll) {
        jobs::parallel_for(
            0, 8,
            [&](int) {
              jobs::yield();
              jobs::parallel_for(0, 50, [&](int) { ++ran; }, LoopPriority(inner));
            },
            LoopPriority(outer));
      }
    }
    EXPECT_EQ(ran, 25 * 8 * 50);
  });
}

// A job that spawns its successor until it is told to stop.
void flood(jobs::Counter& done, const std::atomic<bool>& enough, Priority priority) {
  jobs::spawn(done,
              [&done, &enough, priority] {
                if (!enough) flood(done, enough, priority);
              },
              {.priority = priority});
}

// The caller waits for no member that has not begun.
TEST_P(PriorityFor, EndsUnderAFloodOfAnyPriority) {
  run([] {
    for (const Priority of_flood : kAll) {
      jobs::Counter done;
      std::atomic<bool> enough{false};
      for (unsigned i = 0; i < jobs::worker_count(); ++i) flood(done, enough, of_flood);
      std::atomic<int> ran{0};
      for (const Priority priority : kAll) {
        for (int i = 0; i < 5; ++i)
          jobs::parallel_for(0, 100, [&](int) { ++ran; }, LoopPriority(priority));
      }
      EXPECT_EQ(ran, 2'500);
      enough = true;
      done.wait();
    }
  });
}

// The caller is in its first part until a normal job has run, which only the helper can run.
TEST(PriorityForGivesWay, ToUpperJobs) {
  constexpr int kPatience = 5'000;  // parts, of more than 50 us each
  for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
    for (const bool is_for_helper : {false, true}) {
      jobs::Scheduler scheduler({.worker_count = 2});
      std::atomic<bool> job_ran{false};
      scheduler.run([&] {
        const unsigned own = jobs::worker_index().value();
        std::atomic<bool> is_first{true};
        std::atomic<int> parts_of_helper{0};
        jobs::Counter done;
        jobs::parallel_for(
            0, 2 * kPatience,
            [&](int) {
              if (jobs::worker_index() != own) {
                if (job_ran) return;
                ++parts_of_helper;
                std::this_thread::sleep_for(50us);
              } else if (is_first.exchange(false)) {
                while (parts_of_helper == 0) std::this_thread::yield();
                const jobs::Place place = is_for_helper ? jobs::worker(1 - own) : jobs::anywhere;
                jobs::spawn(done, [&] { job_ran = true; }, {.on = place});
                while (!job_ran && parts_of_helper < kPatience) std::this_thread::yield();
                EXPECT_TRUE(job_ran) << "after " << parts_of_helper << " parts";
              }
            },
            LoopPriority(priority), jobs::Grain(1));
        done.wait();
      });
    }
  }
}

TEST_P(PriorityFor, RefusesOtherValues) {
  run([] {
    for (const int value : {5, 255}) {
      EXPECT_EQ(jobs::test::code_of([&] {
                  jobs::parallel_for(
                      0, 10, [](int) { ADD_FAILURE() << "it must not run"; },
                      LoopPriority(static_cast<Priority>(value)));
                }),
                jobs::ErrorCode::kBadArgument);
    }
  });
}

}  // namespace
