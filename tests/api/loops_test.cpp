// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of loops that are built on parallel_for: with a stop_token, over grids and steps,
// repeated, and over any range of iterators.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "jobs/grid_for.hpp"
#include "jobs/parallel_for_each.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/repeated_for.hpp"
#include "jobs/stoppable_for.hpp"
#include "jobs/throttled_for.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class Loops : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Loops);

bool all_are(const std::vector<int>& counts, int expected) {
  return std::all_of(counts.begin(), counts.end(),
                     [expected](int count) { return count == expected; });
}

void work(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// --- stop_token ---------------------------------------------------------------------------------

TEST_P(Loops, ThatAreStoppedThrowInsteadOfReturning) {
  run([] {
    for (const jobs::Grain grain : {jobs::Grain(), jobs::Grain(1), jobs::Grain(10)}) {
      std::stop_source stop;
      std::atomic<int> calls{0};
      const auto body = [&](int i) {
        if (i == 20) stop.request_stop();
        work(std::chrono::microseconds(5));
        ++calls;
      };
      EXPECT_THROW(jobs::parallel_for(0, 100'000, body, stop.get_token(), grain), jobs::Cancelled);
      EXPECT_LT(calls, 100'000);
    }
  });
}

TEST_P(Loops, ThatWereStoppedBeforeDoNothing) {
  std::stop_source stop;
  stop.request_stop();
  run([&stop] {
    const auto fail = [](auto&&) { ADD_FAILURE() << "nothing to run"; };
    std::vector<int> vector(10);
    std::list<int> list(10);
    EXPECT_THROW(jobs::parallel_for(0, 10, fail, stop.get_token()), jobs::Cancelled);
    EXPECT_THROW(jobs::parallel_for(vector, fail, stop.get_token()), jobs::Cancelled);
    EXPECT_THROW(jobs::parallel_for_each(list, fail, stop.get_token()), jobs::Cancelled);
    jobs::parallel_for(0, 0, fail, stop.get_token());  // the loop has finished nevertheless
  });
}

TEST_P(Loops, ThatEndBeforeTheStopHaveFinished) {
  run([] {
    std::stop_source stop;
    std::atomic<int> calls{0};
    jobs::parallel_for(0, 1000, [&](int) { ++calls; }, stop.get_token());
    EXPECT_EQ(calls, 1000);
    // The last iteration requests the stop: all iterations have run, so the loop does not throw.
    jobs::parallel_for(0, 1, [&](int) { stop.request_stop(); }, stop.get_token());
  });
}

TEST_P(Loops, AreStoppedFromOutside) {
  run([] {
    std::stop_source stop;
    std::atomic<bool> has_begun{false};
    std::jthread outside([&] {
      while (!has_begun) std::this_thread::yield();
      stop.request_stop();
    });
    // No machine comes to the end of this loop.
    EXPECT_THROW(jobs::parallel_for(
                     std::int64_t{0}, std::numeric_limits<std::int64_t>::max(),
                     [&](std::int64_t) { has_begun = true; }, stop.get_token()),
                 jobs::Cancelled);
  });
}

// --- grids and steps ----------------------------------------------------------------------------

TEST_P(Loops, OverGridsVisitEachPointOnce) {
  run([] {
    for (const jobs::Grain grain : {jobs::Grain(), jobs::Grain(1), jobs::Grain(7)}) {
      std::vector<int> counts(50 * 37);
      jobs::parallel_for(
          jobs::Grid(50, 37), [&](int i, int j) { ++counts[static_cast<std::size_t>(i * 37 + j)]; },
          grain);
      EXPECT_TRUE(all_are(counts, 1));
      counts.assign(5 * 6 * 7, 0);
      const jobs::Grid<std::int64_t, 3> box({-2, 10, 100}, {3, 16, 107});
      jobs::parallel_for(
          box,
          [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            ++counts[static_cast<std::size_t>(((i + 2) * 6 + j - 10) * 7 + k - 100)];
          },
          grain);
      EXPECT_TRUE(all_are(counts, 1));
    }
    const auto fail = [](auto, auto) { ADD_FAILURE() << "nothing to run"; };
    jobs::parallel_for(jobs::Grid(0, 5), fail);
    jobs::parallel_for(jobs::Grid(5, -1), fail);
  });
}

TEST_P(Loops, OverTilesVisitEachPointOnce) {
  run([] {
    std::vector<int> counts(50 * 37);
    jobs::parallel_for(jobs::Grid(50, 37), {8, 16}, [&](const jobs::Grid<int, 2>& tile) {
      EXPECT_LE(tile.last[0] - tile.first[0], 8);
      EXPECT_LE(tile.last[1] - tile.first[1], 16);
      for (int i = tile.first[0]; i < tile.last[0]; ++i) {
        for (int j = tile.first[1]; j < tile.last[1]; ++j)
          ++counts[static_cast<std::size_t>(i * 37 + j)];
      }
    });
    EXPECT_TRUE(all_are(counts, 1));
    std::atomic<int> points{0};
    jobs::parallel_for(jobs::Grid(3, 5, 7), {2, 2, 100}, [&](const jobs::Grid<int, 3>& tile) {
      points += (tile.last[0] - tile.first[0]) * (tile.last[1] - tile.first[1]) *
                (tile.last[2] - tile.first[2]);
    });
    EXPECT_EQ(points, 105);
    EXPECT_THROW(jobs::parallel_for(jobs::Grid(3, 3), {1, 0}, [](const jobs::Grid<int, 2>&) {}),
                 std::invalid_argument);
  });
}

TEST_P(Loops, OverGridsTooLargeToCountAreRefused) {
  run([] {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(jobs::parallel_for(jobs::Grid(kMost, kMost), [](std::int64_t, std::int64_t) {}),
                 std::length_error);
    jobs::parallel_for(jobs::Grid(kMost, kMost, std::int64_t{0}),
                       [](std::int64_t, std::int64_t, std::int64_t) {});
  });
}

TEST_P(Loops, WithAStepVisitWhatASerialOneVisits) {
  run([] {
    struct Case {
      int first, last, step;
    };
    for (const auto [first, last, step] :
         {Case{0, 10, 3}, {0, 9, 3}, {5, -5, -2}, {5, 5, 1}, {-7, 100, 50}, {3, 0, 1}}) {
      std::vector<int> expected;
      for (int i = first; step > 0 ? i < last : i > last; i += step) expected.push_back(i);
      std::mutex mutex;
      std::vector<int> seen;
      jobs::parallel_for(first, last, step, [&](int i) {
        const std::scoped_lock lock(mutex);
        seen.push_back(i);
      });
      std::sort(seen.begin(), seen.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(seen, expected);
    }
    std::atomic<int> calls{0};
    jobs::parallel_for(std::uint8_t{0}, std::uint8_t{255}, std::uint8_t{100},
                       [&](std::uint8_t i) { calls += i; });
    EXPECT_EQ(calls, 300);
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    calls = 0;
    jobs::parallel_for(std::int64_t{0}, kLeast, kLeast, [&](std::int64_t) { ++calls; });
    EXPECT_EQ(calls, 1);
    EXPECT_THROW(jobs::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
  });
}

TEST_P(Loops, OfEachFormTakeBoundsOfDifferentTypes) {
  run([] {
    const std::size_t n = 100;
    std::vector<int> counts(n);
    const auto count = [&](std::size_t i) { ++counts[i]; };
    jobs::AffinityPartition affinity;
    jobs::StaticPartition shares;
    jobs::parallel_for(0, n, count, std::stop_token());
    jobs::parallel_for(0, n, count, std::stop_token(), jobs::Grain(9));
    jobs::parallel_for(0, n, count, affinity);
    jobs::parallel_for(0, n, count, shares);
    jobs::parallel_for(0, n, 2, [&](std::size_t i) {
      count(i);
      count(i + 1);
    });
    EXPECT_TRUE(all_are(counts, 5));
    int last = 0;
    jobs::parallel_for(std::int8_t{3}, -4L, -7, [&](long i) { last += static_cast<int>(i); });
    EXPECT_EQ(last, 3);
    const auto fail = [](auto) { ADD_FAILURE() << "nothing to run"; };
    EXPECT_THROW(jobs::parallel_for(-1, n, fail, affinity), std::out_of_range);
    EXPECT_THROW(jobs::parallel_for(-1, n, fail, std::stop_token()), std::out_of_range);
    EXPECT_THROW(jobs::parallel_for(-1, n, 3, fail), std::out_of_range);
  });
}

// --- repeated loops -----------------------------------------------------------------------------

template <class Partition>
void expect_each_once() {
  Partition partition;
  for (const int n : {1000, 1000, 0, 1, 3, 77'777, 1000}) {
    std::vector<int> counts(static_cast<std::size_t>(n));
    jobs::parallel_for(0, n, [&](int i) { ++counts[static_cast<std::size_t>(i)]; }, partition);
    EXPECT_TRUE(all_are(counts, 1)) << "for " << n;
  }
}

TEST_P(Loops, WithAPartitionRunEachIterationOnce) {
  run([] {
    expect_each_once<jobs::AffinityPartition>();
    expect_each_once<jobs::StaticPartition>();
  });
}

TEST_P(Loops, WithAPartitionCoverSixtyFourBits) {
  run([] {
    jobs::AffinityPartition affinity;
    jobs::StaticPartition equal;
    std::atomic<std::uint64_t> covered{0};
    const auto body = [&](std::uint64_t begin, std::uint64_t end) { covered += end - begin; };
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    for (int round = 0; round < 2; ++round) {
      jobs::parallel_for(std::uint64_t{0}, kMost, body, affinity);
      EXPECT_EQ(covered.exchange(0), kMost);
      jobs::parallel_for(std::uint64_t{0}, kMost, body, equal);
      EXPECT_EQ(covered.exchange(0), kMost);
    }
  });
}

TEST_P(Loops, WithAPartitionRethrowAndGoOn) {
  run([] {
    jobs::AffinityPartition partition;
    const auto body = [](int i) {
      if (i == 500) throw std::runtime_error("iteration 500");
    };
    EXPECT_THROW(jobs::parallel_for(0, 1000, body, partition), std::runtime_error);
    std::atomic<int> calls{0};
    jobs::parallel_for(0, 1000, [&](int) { ++calls; }, partition);
    EXPECT_EQ(calls, 1000);
  });
}

TEST_P(Loops, WithAPartitionNest) {
  run([] {
    jobs::AffinityPartition outer;
    std::atomic<int> calls{0};
    jobs::parallel_for(
        0, 20,
        [&](int) {
          jobs::StaticPartition inner;
          jobs::parallel_for(0, 50, [&](int) { ++calls; }, inner);
        },
        outer);
    EXPECT_EQ(calls, 1000);
  });
}

TEST_P(Loops, WithAnAffinityPartitionComeBackToTheSameThreads) {
  if (is_serial() || is_external()) GTEST_SKIP() << "there is one worker, or none to be sure of";
  run([] {
    constexpr int kSize = 64;
    jobs::AffinityPartition partition;
    std::vector<std::thread::id> before(kSize);
    std::vector<std::thread::id> now(kSize);
    // On a busy machine a worker may come late. Its return to its previous part must count for more
    // than the help of another worker.
    int best = 0;
    for (int round = 0; round < 200 && best < kSize * 3 / 4; ++round) {
      jobs::parallel_for(
          0, kSize,
          [&](int i) {
            work(std::chrono::microseconds(20));
            now[static_cast<std::size_t>(i)] = std::this_thread::get_id();
          },
          partition);
      int same = 0;
      for (int i = 0; i < kSize; ++i)
        same += before[static_cast<std::size_t>(i)] == now[static_cast<std::size_t>(i)];
      if (std::set(now.begin(), now.end()).size() > 1) best = std::max(best, same);
      before = now;
    }
    EXPECT_GE(best, kSize * 3 / 4);
  });
}

TEST_P(Loops, ThatRepeatAllocateNothing) {
  run([] {
    jobs::AffinityPartition affinity;
    jobs::StaticPartition equal;
    std::list<int> list(1000);
    const std::stop_source stop;
    std::vector<int> values(1000);
    const auto round = [&] {
      jobs::parallel_for(
          0, 1000, [&](int i) { values[static_cast<std::size_t>(i)] += i; }, affinity);
      jobs::parallel_for(0, 1000, [&](int i) { values[static_cast<std::size_t>(i)] += i; }, equal);
      jobs::parallel_for(jobs::Grid(10, 100),
                         [&](int i, int j) { values[static_cast<std::size_t>(i * 100 + j)] = i; });
      jobs::parallel_for(0, 1000, 2, [&](int i) { values[static_cast<std::size_t>(i)] += i; });
      jobs::parallel_for(
          0, 1000, [&](int i) { values[static_cast<std::size_t>(i)] += i; }, stop.get_token());
      jobs::parallel_for_each(list, [](int& x) { ++x; });
    };
    // The first steal of a worker creates one or two fibers.
    std::uint64_t allocations = 1;
    for (int i = 0; i < 100 && allocations > 0; ++i)
      allocations = jobs::test::allocations_in(round);
    EXPECT_EQ(allocations, 0u);
  });
}

// --- parallel_for_each --------------------------------------------------------------------------

// Their differences have 128 bits.
TEST_P(Loops, OverNumbersOf64BitsVisitEachOnce) {
  run([] {
    const auto numbers = std::views::iota(std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + 1000);
    const std::uint64_t expected =
        std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    std::atomic<std::uint64_t> sum{0};
    const auto add = [&](std::uint64_t number) { sum += number; };
    jobs::AffinityPartition partition;
    const std::stop_source stop;
    jobs::parallel_for(numbers, add);
    EXPECT_EQ(sum.exchange(0), expected);
    jobs::parallel_for(numbers, add, stop.get_token());
    EXPECT_EQ(sum.exchange(0), expected);
    jobs::parallel_for(numbers, add, jobs::LoopLimit(2));
    EXPECT_EQ(sum.exchange(0), expected);
    jobs::parallel_for(numbers, add, partition);
    EXPECT_EQ(sum.exchange(0), expected);
    jobs::parallel_for_each(numbers, add);
    EXPECT_EQ(sum.exchange(0), expected);
  });
}

TEST_P(Loops, OverListsVisitEachElementOnce) {
  run([] {
    for (const std::size_t n : {0u, 1u, 2u, 100u, 30'000u}) {
      std::forward_list<int> list(n);
      jobs::parallel_for_each(list, [](int& x) { ++x; });
      EXPECT_TRUE(std::all_of(list.begin(), list.end(), [](int x) { return x == 1; }));
      std::vector<int> vector(n);
      jobs::parallel_for_each(vector, [](int& x) { ++x; });
      EXPECT_TRUE(all_are(vector, 1));
    }
    std::set<std::string> names{"a", "b", "c"};
    std::atomic<int> letters{0};
    jobs::parallel_for_each(
        names, [&](const std::string& name) { letters += static_cast<int>(name.size()); });
    EXPECT_EQ(letters, 3);
  });
}

TEST_P(Loops, OverListsAreShared) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  run([] {
    const auto home = std::this_thread::get_id();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<bool> shared{false};
    std::list<int> list(200);
    while (!shared && std::chrono::steady_clock::now() < give_up) {
      jobs::parallel_for_each(list, [&](int&) {
        work(std::chrono::microseconds(20));
        if (std::this_thread::get_id() != home) shared = true;
      });
    }
    EXPECT_TRUE(shared);
  });
}

TEST_P(Loops, OverListsRethrowAndStop) {
  run([] {
    std::list<int> list(10'000);
    std::iota(list.begin(), list.end(), 0);
    std::atomic<int> running{0};
    EXPECT_THROW(jobs::parallel_for_each(list,
                                         [&](int& x) {
                                           ++running;
                                           if (x == 3000) work(std::chrono::microseconds(100));
                                           --running;
                                           if (x == 3000) throw std::runtime_error("element 3000");
                                         }),
                 std::runtime_error);
    EXPECT_EQ(running, 0);
    // The elements begin in their order. The later ones wait for the stop, because the loop ends
    // without an exception if all elements have begun before it.
    std::stop_source stop;
    EXPECT_THROW(jobs::parallel_for_each(
                     list,
                     [&](int& x) {
                       work(std::chrono::microseconds(2));
                       if (x == 20) stop.request_stop();
                       while (x > 20 && !stop.stop_requested()) std::this_thread::yield();
                     },
                     stop.get_token()),
                 jobs::Cancelled);
  });
}

TEST_P(Loops, ThatAreFedRunWhatWasAdded) {
  run([] {
    // The tree of all numbers below 3000, each under its prefix.
    std::vector<int> counts(3000);
    const std::vector<int> roots{1, 2, 3, 4, 5, 6, 7, 8, 9};
    jobs::parallel_for_each(roots, [&](int x, jobs::Feeder<int>& more) {
      ++counts[static_cast<std::size_t>(x)];
      for (int digit = 0; digit < 10; ++digit) {
        if (x * 10 + digit < 3000) more.add(x * 10 + digit);
      }
    });
    counts[0] = 1;
    EXPECT_TRUE(all_are(counts, 1));
  });
}

TEST_P(Loops, ThatAreFedWhatCannotBeCopied) {
  run([] {
    std::list<std::unique_ptr<int>> roots;
    roots.push_back(std::make_unique<int>(5));
    std::atomic<int> calls{0};
    jobs::parallel_for_each(roots,
                            [&](std::unique_ptr<int>& x, jobs::Feeder<std::unique_ptr<int>>& more) {
                              ++calls;
                              for (int i = 0; i < *x; ++i) more.add(std::make_unique<int>(i));
                            });
    EXPECT_EQ(calls, 32);
  });
}

TEST_P(Loops, ThatAreFedEndWithTheFirstException) {
  run([] {
    const std::vector<int> roots(100, 0);
    const auto body = [](int depth, jobs::Feeder<int>& more) {
      if (depth == 6) throw std::runtime_error("deep enough");
      more.add(depth + 1);
      more.add(depth + 1);
    };
    EXPECT_THROW(jobs::parallel_for_each(roots, body), std::runtime_error);
    std::stop_source stop;
    const auto endless = [&](int depth, jobs::Feeder<int>& more) {
      if (depth == 10) stop.request_stop();
      more.add(depth + 1);
    };
    EXPECT_THROW(jobs::parallel_for_each(roots, endless, stop.get_token()), jobs::Cancelled);
  });
}

// --- reductions of ranges -----------------------------------------------------------------------

TEST_P(Loops, ReduceRangesInTheirOrder) {
  run([] {
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u, 12'345u}) {
      std::vector<std::string> letters;
      std::string expected;
      for (std::size_t i = 0; i < n; ++i) {
        letters.push_back(std::string(1, static_cast<char>('a' + i % 26)));
        expected += letters.back();
      }
      EXPECT_EQ(jobs::parallel_reduce(letters, std::string()), expected);
      EXPECT_EQ(jobs::parallel_transform_reduce(letters, std::size_t{0}, std::plus<>(),
                                                &std::string::size),
                n);
    }
  });
}

TEST(LoopsMisuseDeathTest, OnePartitionForTwoLoops) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        scheduler.run([] {
          jobs::AffinityPartition partition;
          jobs::parallel_for(
              0, 10, [&](int) { jobs::parallel_for(0, 10, [](int) {}, partition); }, partition);
        });
      },
      "jobs: AffinityPartition 0x[0-9a-f]+: used by two loops at the same time \\[fiber [0-9]+, "
      "worker 0\\]\n");
}

}  // namespace
