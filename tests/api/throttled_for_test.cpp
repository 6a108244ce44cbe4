// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops with a LoopLimit: the iterations that run, and how many of them run at a time.
#include "jobs/throttled_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "jobs/grid_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class ThrottledFor : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ThrottledFor);

bool all_are(const std::vector<int>& counts, int expected) {
  return std::all_of(counts.begin(), counts.end(),
                     [expected](int count) { return count == expected; });
}

TEST_P(ThrottledFor, RunsEachIterationOnce) {
  run([] {
    for (const jobs::LoopLimit limit : {jobs::LoopLimit(1), jobs::LoopLimit(3),
                                        jobs::LoopLimit(std::numeric_limits<std::size_t>::max())}) {
      for (const int n : {0, 1, 2, 7, 1000}) {
        std::vector<int> counts(static_cast<std::size_t>(n));
        const auto count = [&](int i) { ++counts[static_cast<std::size_t>(i)]; };
        jobs::parallel_for(0, n, count, limit);
        jobs::parallel_for(0, n, count, limit, jobs::Grain(3));
        jobs::parallel_for(counts, [](int& element) { ++element; }, limit);
        jobs::parallel_for(0, n, 1, count, limit);
        jobs::parallel_for(jobs::Grid(n, 1), [&](int row, int) { count(row); }, limit);
        EXPECT_TRUE(all_are(counts, 5)) << "for " << n;
      }
    }
  });
}

TEST_P(ThrottledFor, DividesAtMultiplesOfTheGrain) {
  run([] {
    std::atomic<int> covered{0};
    jobs::parallel_for(
        5, 42,
        [&](int begin, int end) {
          EXPECT_EQ((begin - 5) % 10, 0);
          EXPECT_EQ(end, std::min(begin + 10, 42));
          covered += end - begin;
        },
        jobs::LoopLimit(2), jobs::Grain(10));
    EXPECT_EQ(covered, 37);
  });
}

TEST_P(ThrottledFor, RunsNoMorePartsAtATime) {
  run([] {
    for (const int limit : {1, 2, 3}) {
      std::atomic<int> now{0};
      std::atomic<int> most{0};
      jobs::parallel_for(
          0, 200,
          [&](int i) {
            const int count = ++now;
            int before = most;
            while (before < count && !most.compare_exchange_weak(before, count)) {
            }
            // A part that waits counts, too.
            if (i % 20 == 0) jobs::this_fiber::sleep_for(std::chrono::microseconds(200));
            --now;
          },
          jobs::LoopLimit(static_cast<std::size_t>(limit)));
      EXPECT_LE(most, limit);
    }
  });
}

TEST_P(ThrottledFor, RunsAsManyPartsAsItMay) {
  if (is_external()) GTEST_SKIP() << "a part that waits on an external thread keeps the thread";
  run([] {
    // Parts that wait leave their workers to other parts.
    constexpr int kLimit = 24;
    std::atomic<int> begun{0};
    jobs::Event all;
    jobs::parallel_for(
        0, kLimit,
        [&](int) {
          if (++begun == kLimit) all.signal();
          EXPECT_TRUE(all.wait_for(std::chrono::seconds(20)));
        },
        jobs::LoopLimit(kLimit));
  });
}

TEST_P(ThrottledFor, RethrowsTheExceptionOfTheLowestPart) {
  run([] {
    std::atomic<int> calls{0};
    try {
      jobs::parallel_for(
          0, 10'000,
          [&](int i) {
            ++calls;
            if (i >= 10) throw i;
          },
          jobs::LoopLimit(4));
      ADD_FAILURE() << "no exception";
    } catch (int lowest) {
      EXPECT_EQ(lowest, 10);
    }
    EXPECT_LE(calls, 14);
  });
}

TEST_P(ThrottledFor, LetsCriticalJobsGoFirst) {
  if (!is_serial() || is_external()) GTEST_SKIP() << "the jobs of one worker have an order";
  run([] {
    jobs::Counter counter;
    int last = -1;
    int seen = -1;
    jobs::parallel_for(
        0, 100,
        [&](int i) {
          if (i == 10)
            jobs::spawn(counter, [&] { seen = last; }, {.priority = jobs::Priority::kCritical});
          last = i;
        },
        jobs::LoopLimit(2));
    EXPECT_EQ(seen, 10);
    counter.wait();
  });
}

TEST_P(ThrottledFor, Nests) {
  run([] {
    std::atomic<int> calls{0};
    jobs::parallel_for(
        0, 10, [&](int) { jobs::parallel_for(0, 10, [&](int) { ++calls; }, jobs::LoopLimit(2)); },
        jobs::LoopLimit(2));
    EXPECT_EQ(calls, 100);
  });
}

TEST(LoopLimit, OfNoPartIsRefused) { EXPECT_THROW(jobs::LoopLimit(0), std::invalid_argument); }

}  // namespace
