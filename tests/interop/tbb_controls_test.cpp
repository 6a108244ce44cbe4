// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of global_control in a program without indices of threads: the calling thread is one of
// the threads of the limit.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "tests/interop/tbb_threads.hpp"
#include "tests/support/in_time.hpp"

namespace {

using namespace std::chrono_literals;
using Control = tbb::global_control;
using jobs::test::is_true_in_time;
using jobs::test::TbbThreads;

// A worker takes each call, however late. Otherwise the calling thread takes it back after 10 ms,
// and on a loaded machine two threads run bodies under a limit of 1.
[[maybe_unused]] const bool kPatient = [] {
  jobs::tbb::detail::offer_time = std::chrono::hours(1);
  return true;
}();

class TbbControls : public testing::TestWithParam<unsigned> {
 protected:
  unsigned limit() const { return GetParam(); }
  // Whether the number of CPUs is no smaller limit.
  bool is_met() const { return limit() <= static_cast<unsigned>(tbb::info::default_concurrency()); }

  const Control control_{Control::max_allowed_parallelism, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Limits, TbbControls, testing::Values(1u, 2u, 3u));

TEST_P(TbbControls, CountTheCallerOfALoop) {
  if (!is_met()) GTEST_SKIP() << "fewer CPUs";
  for (int round = 0; round < 20; ++round) {
    TbbThreads threads;
    tbb::parallel_for(0, 20, [&](int) { threads.enter(); });
    EXPECT_LE(threads.count(), limit());
    if (limit() > 1) {
      EXPECT_TRUE(threads.has_caller());
    }
  }
}

TEST_P(TbbControls, AreReachedByALoop) {
  if (!is_met()) GTEST_SKIP() << "fewer CPUs";
  EXPECT_TRUE(is_true_in_time([&] {
    TbbThreads threads;
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 50), [&](const tbb::blocked_range<int>&) { threads.enter(1ms); },
        tbb::simple_partitioner());
    return threads.count() == limit();
  }));
}

// No worker looks at a loop of a caller that needs no help.
TEST_P(TbbControls, HoldForShortLoops) {
  if (!is_met()) GTEST_SKIP() << "fewer CPUs";
  std::atomic<unsigned> inside{0};
  std::atomic<unsigned> too_many{0};
  for (int round = 0; round < 20'000; ++round) {
    tbb::parallel_for(tbb::blocked_range<int>(0, 4), [&](const tbb::blocked_range<int>&) {
      for (int i = 0; i < 100; ++i) {
        if (inside.fetch_add(1) >= limit()) ++too_many;
        inside.fetch_sub(1);
      }
    });
  }
  EXPECT_EQ(too_many, 0u);
}

TEST_P(TbbControls, HoldForTheTasksOfAGroup) {
  if (!is_met()) GTEST_SKIP() << "fewer CPUs";
  for (int round = 0; round < 20; ++round) {
    TbbThreads threads;
    tbb::task_group group;
    for (int i = 0; i < 10; ++i) group.run([&] { threads.enter(); });
    group.run_and_wait([&] { threads.enter(); });
    EXPECT_LE(threads.most(), static_cast<int>(limit()));
  }
}

TEST_P(TbbControls, HoldForALoopBehindTasks) {
  if (!is_met()) GTEST_SKIP() << "fewer CPUs";
  for (int round = 0; round < 20; ++round) {
    TbbThreads threads;
    tbb::task_group group;
    for (int i = 0; i < 3; ++i) group.run([&] { threads.enter(); });
    tbb::parallel_for(0, 10, [&](int) { threads.enter(); });
    group.wait();
    EXPECT_LE(threads.most(), static_cast<int>(limit()));
  }
}

TEST_P(TbbControls, LetResultsAndExceptionsThrough) {
  for (int round = 0; round < 20; ++round) {
    const long sum = tbb::parallel_reduce(
        tbb::blocked_range<long>(0, 1000), 0L,
        [](const tbb::blocked_range<long>& range, long value) {
          for (long i = range.begin(); i < range.end(); ++i) value += i;
          return value;
        },
        [](long a, long b) { return a + b; });
    EXPECT_EQ(sum, 499'500);
    EXPECT_THROW(tbb::parallel_for(0, 10,
                                   [](int i) {
                                     if (i == 5) throw std::runtime_error("five");
                                   }),
                 std::runtime_error);
  }
}

TEST_P(TbbControls, LeaveTheNumbersOfTheProgramAsTheyAre) {
  const int all = tbb::info::default_concurrency();
  std::atomic<int> differences{0};
  tbb::parallel_for(0, 100, [&](int) {
    if (tbb::this_task_arena::max_concurrency() != all) ++differences;
  });
  EXPECT_EQ(differences, 0);
}

TEST_P(TbbControls, HoldForSeveralCallers) {
  std::vector<std::thread> callers;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&sum] {
      for (int round = 0; round < 50; ++round) tbb::parallel_for(0, 10, [&sum](int) { ++sum; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 2000);
}

}  // namespace
