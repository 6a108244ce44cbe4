// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of a loop (a grain, a stop token, a partition) in the forms that are built on the
// loop over indices: over grids by points and by tiles, with a step, and over elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/grid_for.hpp"
#include "jobs/repeated_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/stoppable_for.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class LoopOptions : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(LoopOptions);

constexpr int kRows = 30;
constexpr int kColumns = 28;
constexpr int kPoints = kRows * kColumns;

// Counts the calls for each point of the grid.
class Counts {
 public:
  void add(int row, int column) { ++counts_[static_cast<std::size_t>(row * kColumns + column)]; }
  void add(const jobs::Grid<int, 2>& tile) {
    for (int row = tile.first[0]; row < tile.last[0]; ++row) {
      for (int column = tile.first[1]; column < tile.last[1]; ++column) add(row, column);
    }
  }
  bool all_are(int expected) const {
    return std::all_of(counts_.begin(), counts_.end(),
                       [expected](int count) { return count == expected; });
  }

 private:
  std::vector<int> counts_ = std::vector<int>(kPoints);
};

// Runs a loop of each form over the same points.
template <class... Options>
void expect_each_once(Options&&... options) {
  const jobs::Grid grid(kRows, kColumns);
  Counts points;
  jobs::parallel_for(grid, [&](int row, int column) { points.add(row, column); }, options...);
  EXPECT_TRUE(points.all_are(1));

  Counts box;
  jobs::parallel_for(
      jobs::Grid(kRows, kColumns / 4, 4),
      [&](int layer, int row, int column) { box.add(layer, row * 4 + column); }, options...);
  EXPECT_TRUE(box.all_are(1));

  Counts tiles;
  jobs::parallel_for(
      grid, {8, 9}, [&](const jobs::Grid<int, 2>& tile) { tiles.add(tile); }, options...);
  EXPECT_TRUE(tiles.all_are(1));

  Counts steps;
  jobs::parallel_for(
      kPoints - 2, -2, -2,
      [&](int i) {
        steps.add(i / kColumns, i % kColumns);
        steps.add(i / kColumns, i % kColumns + 1);
      },
      options...);
  EXPECT_TRUE(steps.all_are(1));

  std::vector<int> elements(kPoints);
  jobs::parallel_for(elements, [](int& element) { ++element; }, options...);
  EXPECT_EQ(std::count(elements.begin(), elements.end(), 1), kPoints);
}

TEST_P(LoopOptions, LeaveTheIterationsOfEachFormUnchanged) {
  run([] {
    std::stop_source stop;
    const jobs::Grain grain(7);
    jobs::AffinityPartition affinity;
    jobs::StaticPartition shares;
    for (int round = 0; round < 3; ++round) {
      expect_each_once();
      expect_each_once(grain);
      expect_each_once(jobs::Grain(1));
      expect_each_once(stop.get_token());
      expect_each_once(stop.get_token(), grain);
      expect_each_once(affinity);
      expect_each_once(shares);
    }
  });
}

TEST_P(LoopOptions, StopEachForm) {
  run([] {
    const auto expect_stopped = [](auto&& loop) {
      std::stop_source stop;
      std::atomic<int> calls{0};
      const auto count = [&] {
        if (++calls == 3) stop.request_stop();
      };
      EXPECT_THROW(loop(count, stop.get_token()), jobs::Cancelled);
      EXPECT_LT(calls, 1000 * 1000);
    };
    const jobs::Grid grid(1000, 1000);
    for (const jobs::Grain grain : {jobs::Grain(), jobs::Grain(1)}) {
      expect_stopped([&](auto& count, std::stop_token stop) {
        jobs::parallel_for(grid, [&](int, int) { count(); }, stop, grain);
      });
      expect_stopped([&](auto& count, std::stop_token stop) {
        jobs::parallel_for(grid, {1, 1}, [&](const auto&) { count(); }, stop, grain);
      });
      expect_stopped([&](auto& count, std::stop_token stop) {
        jobs::parallel_for(0, 3'000'000, 3, [&](int) { count(); }, stop, grain);
      });
    }
  });
}

TEST_P(LoopOptions, ThatStoppedBeforeBeginNothing) {
  std::stop_source stop;
  stop.request_stop();
  run([&stop] {
    const jobs::Grid grid(10, 10);
    const auto fail = [](auto&&...) { ADD_FAILURE() << "nothing to run"; };
    const std::stop_token token = stop.get_token();
    EXPECT_THROW(jobs::parallel_for(grid, [&](int, int) { fail(); }, token), jobs::Cancelled);
    EXPECT_THROW(jobs::parallel_for(grid, {3, 3}, fail, token), jobs::Cancelled);
    EXPECT_THROW(jobs::parallel_for(0, 10, 3, [&](int) { fail(); }, token), jobs::Cancelled);
    jobs::parallel_for(jobs::Grid(0, 10), [&](int, int) { fail(); }, token);  // has no point
  });
}

TEST_P(LoopOptions, WithAStaticPartitionMakeOnePartPerWorker) {
  if (is_external()) GTEST_SKIP() << "an external participant has a part of its own";
  run([] {
    // Neighbours in a part run on one thread, in the order of the rows.
    std::vector<std::thread::id> threads(kPoints);
    jobs::StaticPartition shares;
    jobs::parallel_for(
        jobs::Grid(kRows, kColumns),
        [&](int row, int column) {
          threads[static_cast<std::size_t>(row * kColumns + column)] = std::this_thread::get_id();
        },
        shares);
    unsigned parts = 1;
    for (std::size_t i = 1; i < threads.size(); ++i) parts += threads[i] != threads[i - 1];
    EXPECT_LE(parts, GetParam().workers);
  });
}

TEST_P(LoopOptions, WithAPartitionRethrowAndGoOn) {
  run([] {
    jobs::AffinityPartition partition;
    const jobs::Grid grid(kRows, kColumns);
    EXPECT_THROW(jobs::parallel_for(
                     grid,
                     [](int row, int column) {
                       if (row == 7 && column == 5) throw std::runtime_error("point (7, 5)");
                     },
                     partition),
                 std::runtime_error);
    expect_each_once(partition);
  });
}

// Each worker begins its share while the shares of all other workers run.
template <class Partition>
void expect_all_at_a_time(int workers) {
  Partition partition;
  std::atomic<int> begun{0};
  jobs::Event all;
  jobs::parallel_for(
      0, workers,
      [&](int) {
        if (++begun == workers) all.signal();
        EXPECT_TRUE(all.wait_for(std::chrono::seconds(20)));
      },
      partition);
}

TEST_P(LoopOptions, WithAPartitionRunOnAllWorkersAtATime) {
  run([] {
    const auto workers = static_cast<int>(GetParam().workers);
    expect_all_at_a_time<jobs::StaticPartition>(workers);
    expect_all_at_a_time<jobs::AffinityPartition>(workers);
  });
}

TEST_P(LoopOptions, WithAPartitionRethrowTheExceptionOfTheLowestPart) {
  run([] {
    // The first iterations of all shares throw.
    const auto workers = static_cast<int>(GetParam().workers);
    jobs::StaticPartition partition;
    std::atomic<int> begun{0};
    jobs::Event all;
    try {
      jobs::parallel_for(
          0, workers,
          [&](int i) {
            if (++begun == workers) all.signal();
            EXPECT_TRUE(all.wait_for(std::chrono::seconds(20)));
            throw i;
          },
          partition);
      ADD_FAILURE() << "no exception";
    } catch (int lowest) {
      EXPECT_EQ(lowest, 0);
    }
  });
}

TEST_P(LoopOptions, WithAPartitionLetCriticalJobsGoFirst) {
  if (!is_serial() || is_external()) GTEST_SKIP() << "the jobs of one worker have an order";
  run([] {
    jobs::AffinityPartition partition;
    jobs::Counter counter;
    int last = -1;
    int seen = -1;
    jobs::parallel_for(
        0, 1000,
        [&](int i) {
          if (i == 0) {
            jobs::spawn(counter, [&] { seen = last; }, {.priority = jobs::Priority::kCritical});
          }
          last = i;
        },
        partition);
    EXPECT_GE(seen, 0);
    EXPECT_LT(seen, 999);
    counter.wait();
  });
}

}  // namespace
