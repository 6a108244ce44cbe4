// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops with a LoopProgress: what they count, in each form and with each option, and when.
#include "jobs/progress_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/priority_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::Grain;
using jobs::LoopProgress;

class ProgressFor : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ProgressFor);

constexpr int kRows = 30;
constexpr int kColumns = 28;
constexpr int kPoints = kRows * kColumns;

// Runs `loop(progress)` and expects it to count `iterations`.
template <class Loop>
void expect_counted(const char* form, std::uint64_t iterations, Loop&& loop) {
  LoopProgress progress;
  loop(progress);
  EXPECT_EQ(progress.total(), iterations) << form;
  EXPECT_EQ(progress.done(), iterations) << form;
  EXPECT_EQ(progress.fraction(), iterations == 0 ? 0 : 1) << form;
}

// Runs a loop of each form with the same options.
template <class... Options>
void expect_each_form_counted(Options&&... options) {
  std::atomic<int> calls{0};
  const auto call = [&](auto&&...) { ++calls; };
  const jobs::Grid grid(kRows, kColumns);
  expect_counted("indices", kPoints, [&](LoopProgress& progress) {
    jobs::parallel_for(
        0, std::size_t{kPoints}, [&](std::size_t) { ++calls; }, progress, options...);
  });
  expect_counted("parts", kPoints, [&](LoopProgress& progress) {
    jobs::parallel_for(
        -5, kPoints - 5, [&](int begin, int end) { calls += end - begin; }, progress, options...);
  });
  expect_counted("points", kPoints, [&](LoopProgress& progress) {
    jobs::parallel_for(grid, [&](int, int) { ++calls; }, progress, options...);
  });
  expect_counted("points of a box", kPoints, [&](LoopProgress& progress) {
    jobs::parallel_for(
        jobs::Grid(kRows, kColumns / 4, 4), [&](int, int, int) { ++calls; }, progress, options...);
  });
  EXPECT_EQ(calls, 4 * kPoints);
  calls = 0;
  expect_counted("tiles", 4 * 4, [&](LoopProgress& progress) {
    jobs::parallel_for(
        grid, {8, 9}, [&](const jobs::Grid<int, 2>&) { ++calls; }, progress, options...);
  });
  EXPECT_EQ(calls, 4 * 4);
  calls = 0;
  expect_counted("steps", kPoints / 2, [&](LoopProgress& progress) {
    jobs::parallel_for(kPoints - 2, -2, -2, [&](int) { ++calls; }, progress, options...);
  });
  expect_counted("elements", kPoints, [&](LoopProgress& progress) {
    std::vector<int> elements(kPoints);
    jobs::parallel_for(elements, call, progress, options...);
  });
  EXPECT_EQ(calls, kPoints / 2 + kPoints);
}

TEST_P(ProgressFor, CountsTheIterationsOfEachFormWithEachOption) {
  run([] {
    const std::stop_source never;
    const jobs::LoopPriority low(jobs::Priority::kLow);
    jobs::AffinityPartition affinity;
    jobs::StaticPartition shares;
    for (int round = 0; round < 3; ++round) {
      expect_each_form_counted();
      expect_each_form_counted(Grain(1));
      expect_each_form_counted(Grain(7));
      expect_each_form_counted(never.get_token());
      expect_each_form_counted(never.get_token(), Grain(7));
      expect_each_form_counted(jobs::LoopLimit(2));
      expect_each_form_counted(jobs::LoopLimit(2), Grain(7));
      expect_each_form_counted(low);
      expect_each_form_counted(low, never.get_token());
      expect_each_form_counted(affinity);
      expect_each_form_counted(shares);
    }
  });
}

TEST_P(ProgressFor, CountsNothingInALoopWithoutIterations) {
  run([] {
    expect_counted("indices", 0, [](LoopProgress& progress) {
      jobs::parallel_for(5, 5, [](int) { ADD_FAILURE() << "nothing to run"; }, progress);
    });
    expect_counted("a grid", 0, [](LoopProgress& progress) {
      jobs::parallel_for(
          jobs::Grid(0, 10), [](int, int) { ADD_FAILURE() << "nothing to run"; }, progress);
    });
  });
}

// The last point to begin waits until another thread has seen all other points.
TEST_P(ProgressFor, ShowsTheNumbersToAnotherThreadWhileTheLoopRuns) {
  constexpr int kCount = 12;
  run([] {
    LoopProgress progress;
    jobs::Event seen;
    std::thread display([&] {
      while (progress.done() != kCount - 1) std::this_thread::yield();
      EXPECT_EQ(progress.total(), std::uint64_t{kCount});
      EXPECT_EQ(progress.fraction(), (kCount - 1.0) / kCount);
      seen.signal();
    });
    std::atomic<int> begun{0};
    jobs::parallel_for(
        jobs::Grid(3, kCount / 3),
        [&](int, int) {
          EXPECT_LT(progress.done(), progress.total()) << "this point has not ended";
          if (++begun == kCount) seen.wait();
        },
        progress, Grain(1));
    display.join();
    EXPECT_EQ(progress.fraction(), 1);
  });
}

// Plain data: done() orders the accesses.
TEST_P(ProgressFor, ShowsTheEffectsOfTheIterationsThatItCounts) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::vector<int> values(kPoints);
      LoopProgress progress;
      std::thread display([&] {
        while (progress.done() != kPoints) std::this_thread::yield();
        EXPECT_EQ(std::count(values.begin(), values.end(), 7), kPoints);
      });
      jobs::parallel_for(values, [](int& value) { value = 7; }, progress, Grain(16));
      display.join();
    }
  });
}

TEST_P(ProgressFor, CountsNoPartThatThrows) {
  run([] {
    LoopProgress progress;
    std::atomic<std::uint64_t> ended{0};
    EXPECT_THROW(jobs::parallel_for(
                     jobs::Grid(kRows, kColumns),
                     [&](int row, int column) {
                       if (row == 7 && column == 5) throw std::runtime_error("point (7, 5)");
                       ++ended;
                     },
                     progress, Grain(1)),
                 std::runtime_error);
    EXPECT_EQ(progress.total(), std::uint64_t{kPoints});
    EXPECT_EQ(progress.done(), ended);
    EXPECT_LT(progress.fraction(), 1);
  });
}

TEST_P(ProgressFor, CountsThePartsBeforeAStop) {
  run([] {
    LoopProgress progress;
    std::stop_source stop;
    std::atomic<std::uint64_t> calls{0};
    EXPECT_THROW(jobs::parallel_for(
                     jobs::Grid(kRows, kColumns), {1, 1},
                     [&](const auto&) {
                       if (++calls == 3) stop.request_stop();
                       while (calls >= 3 && !stop.stop_requested()) std::this_thread::yield();
                     },
                     progress, stop.get_token(), Grain(1)),
                 jobs::Cancelled);
    EXPECT_EQ(progress.done(), calls);
    EXPECT_LT(progress.fraction(), 1);
  });
}

TEST_P(ProgressFor, AddsUpTheIterationsOfLoopsThatShareIt) {
  run([] {
    LoopProgress progress;
    jobs::Counter loops;
    for (int i = 0; i < 4; ++i) {
      jobs::spawn(loops, [&] {
        jobs::parallel_for(0, 100, [](int) {}, progress);
        jobs::parallel_for(jobs::Grid(5, 10), [](int, int) {}, progress);
      });
    }
    loops.wait();
    EXPECT_EQ(progress.total(), 4u * 150);
    EXPECT_EQ(progress.done(), 4u * 150);
  });
}

}  // namespace
