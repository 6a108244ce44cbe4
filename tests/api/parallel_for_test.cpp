// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for(): the iterations that run, their indices, and the behaviour after an exception.
#include "jobs/parallel_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class ParallelFor : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ParallelFor);

bool all_are(const std::vector<int>& counts, int expected) {
  return std::all_of(counts.begin(), counts.end(),
                     [expected](int count) { return count == expected; });
}

// Computes for this time. A loop over a few such iterations is worth sharing.
void work(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST_P(ParallelFor, RunsEachIterationOnce) {
  run([&] {
    for (const int n : {1, 2, 3, 7, 64, 1000, 100'003}) {
      std::vector<int> counts(
          static_cast<std::size_t>(n));  // not atomic: the end of the loop orders them
      jobs::parallel_for(0, n, [&](int i) { ++counts[static_cast<std::size_t>(i)]; });
      EXPECT_TRUE(all_are(counts, 1)) << "for " << n;
    }
  });
}

TEST_P(ParallelFor, RunsEachIterationOnceWithAnyGrain) {
  run([&] {
    for (const std::size_t grain :
         {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{5000}, SIZE_MAX}) {
      std::vector<int> counts(1000);
      jobs::parallel_for(
          std::size_t{0}, counts.size(), [&](std::size_t i) { ++counts[i]; }, jobs::Grain(grain));
      EXPECT_TRUE(all_are(counts, 1)) << "for the grain " << grain;
    }
  });
}

TEST_P(ParallelFor, RunsNothingForEmptyAndReversedRanges) {
  run([&] {
    const auto fail = [](auto) { ADD_FAILURE() << "nothing to run"; };
    jobs::parallel_for(0, 0, fail);
    jobs::parallel_for(5, -5, fail);
    jobs::parallel_for(7u, 3u, fail);
    jobs::parallel_for(std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::int64_t>::min(), fail);
    jobs::parallel_for(std::vector<int>(), fail);
  });
}

TEST_P(ParallelFor, KeepsToTheGrain) {
  run([&] {
    jobs::parallel_for(
        0, 1000,
        [](int begin, int end) {
          EXPECT_LT(begin, end);
          EXPECT_LE(end - begin, 10);
        },
        jobs::Grain(10));
  });
}

using Chunks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// The chunks of a loop from `first` on, as offsets, in order.
template <class I>
Chunks chunks_of(I first, I last, jobs::Grain grain) {
  std::mutex mutex;
  Chunks chunks;
  const auto offset = [first](I index) {
    return static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(first);
  };
  jobs::parallel_for(
      first, last,
      [&](I begin, I end) {
        if (begin % 5 == 0) work(std::chrono::microseconds(20));  // parts go to other workers
        const std::scoped_lock lock(mutex);
        chunks.emplace_back(offset(begin), offset(end));
      },
      grain);
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST_P(ParallelFor, WithAGrainHasTheChunksOfASerialLoop) {
  run([&] {
    for (const std::uint64_t grain : {1u, 7u, 64u, 999u, 1000u, 5000u}) {
      Chunks expected;
      for (std::uint64_t begin = 0; begin < 1000; begin += grain)
        expected.emplace_back(begin, std::min<std::uint64_t>(begin + grain, 1000));
      EXPECT_EQ(chunks_of(0, 1000, jobs::Grain(grain)), expected) << "for the grain " << grain;
      EXPECT_EQ(chunks_of(-17, 983, jobs::Grain(grain)), expected)
          << "counted from the first index";
    }
    EXPECT_TRUE(chunks_of(3, 3, jobs::Grain(2)).empty());
    // The last boundary lies beyond 64 bits.
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const auto largest = chunks_of<std::uint64_t>(0, kMost, jobs::Grain(kMost / 2 + 2));
    EXPECT_EQ(largest, (Chunks{{0, kMost / 2 + 2}, {kMost / 2 + 2, kMost}}));
    EXPECT_EQ(chunks_of<std::uint64_t>(0, kMost, jobs::Grain(kMost)).size(), 1u);
  });
}

TEST_P(ParallelFor, WithAGrainRunsEachIterationOnce) {
  run([&] {
    std::vector<int> counts(1000);
    jobs::parallel_for(
        0, 1000, [&](int i) { ++counts[static_cast<std::size_t>(i)]; }, jobs::Grain(7));
    jobs::parallel_for(counts, [](int& count) { ++count; }, jobs::Grain(64));
    EXPECT_TRUE(all_are(counts, 2));
    EXPECT_THROW(jobs::parallel_for(
                     0, 100,
                     [](int i) {
                       if (i == 42) throw std::runtime_error("42");
                     },
                     jobs::Grain(10)),
                 std::runtime_error);
  });
}

TEST_P(ParallelFor, TakesBoundsOfDifferentTypes) {
  run([&] {
    std::vector<int> counts(1000);
    jobs::parallel_for(0, counts.size(), [&](auto i) {
      static_assert(std::same_as<decltype(i), std::size_t>);
      ++counts[i];
    });
    jobs::parallel_for(
        std::uint8_t{0}, std::ssize(counts),
        [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          for (std::ptrdiff_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(i)];
        },
        jobs::Grain(10));
    EXPECT_TRUE(all_are(counts, 2));
    std::atomic<int> sum{0};
    jobs::parallel_for(std::int8_t{-3}, std::uint8_t{5}, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 4);
    const auto fail = [](auto) { ADD_FAILURE() << "nothing to run"; };
    jobs::parallel_for(5u, -5, fail);  // a reversed range, as numbers
    jobs::parallel_for(std::size_t{0}, -1, fail);
  });
}

TEST_P(ParallelFor, RefusesANegativeIndexOfAnUnsignedType) {
  run([&] {
    const auto fail = [](auto) { ADD_FAILURE() << "nothing to run"; };
    EXPECT_THROW(jobs::parallel_for(-1, 10u, fail), std::out_of_range);
    EXPECT_THROW(jobs::parallel_for(std::int64_t{-10}, std::size_t{10}, fail), std::out_of_range);
    EXPECT_THROW(jobs::parallel_for(-1, std::uint64_t{SIZE_MAX}, fail), std::out_of_range);
  });
}

TEST_P(ParallelFor, CoversTheWholeRangeOfAType) {
  run([&] {
    std::atomic<int> calls{0};
    std::atomic<int> sum{0};
    jobs::parallel_for(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t i) {
      ++calls;
      sum += i;
    });
    EXPECT_EQ(calls, 255);
    EXPECT_EQ(sum, -128 - 127) << "all others come in pairs";
    calls = 0;
    jobs::parallel_for(std::uint8_t{0}, std::uint8_t{255}, [&](std::uint8_t) { ++calls; });
    EXPECT_EQ(calls, 255);
    calls = 0;
    jobs::parallel_for(std::int16_t{-32768}, std::int16_t{32767}, [&](std::int16_t) { ++calls; });
    EXPECT_EQ(calls, 65535);
  });
}

template <class I>
void expect_parts_make_up_the_whole_range(jobs::Grain grain) {
  constexpr I kFirst = std::numeric_limits<I>::min();
  constexpr I kLast = std::numeric_limits<I>::max();
  std::atomic<std::uint64_t> covered{0};
  jobs::parallel_for(
      kFirst, kLast,
      [&](I begin, I end) {
        if (begin >= end) throw std::logic_error("an empty part");
        covered += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
      },
      grain);
  EXPECT_EQ(covered, std::numeric_limits<std::uint64_t>::max());
}

TEST_P(ParallelFor, SurvivesRangesOfSixtyFourBits) {
  // The parts cost nothing here, so that an automatic grain grows to its maximum.
  run([&] {
    expect_parts_make_up_the_whole_range<std::int64_t>({});
    expect_parts_make_up_the_whole_range<std::uint64_t>({});
    expect_parts_make_up_the_whole_range<std::int64_t>(jobs::Grain(std::size_t{1} << 58));
    expect_parts_make_up_the_whole_range<std::uint64_t>(jobs::Grain(SIZE_MAX));
  });
}

TEST_P(ParallelFor, RunsBodiesForRangesOfAnyKind) {
  run([&] {
    std::vector<int> vector(1000, 1);
    jobs::parallel_for(vector, [](int& element) { element = 2; });
    EXPECT_TRUE(all_are(vector, 2));
    std::deque<int> deque(1000, 1);
    jobs::parallel_for(deque, [](int& element) { element += 2; });
    EXPECT_EQ(std::accumulate(deque.begin(), deque.end(), 0), 3000);
    int array[3] = {1, 2, 3};
    jobs::parallel_for(array, [](int& element) { element *= 2; });
    EXPECT_EQ(array[2], 6);
    std::atomic<int> sum{0};
    jobs::parallel_for(std::views::iota(0, 100), [&](int i) { sum += i; });
    jobs::parallel_for(
        std::span(array), [&](const int& element) { sum += element; }, jobs::Grain(1));
    EXPECT_EQ(sum, 4950 + 12);
  });
}

TEST_P(ParallelFor, RethrowsAnExceptionWhenAllPartsHaveEnded) {
  run([&] {
    for (const jobs::Grain grain : {jobs::Grain(), jobs::Grain(1), jobs::Grain(7)}) {
      std::atomic<int> running{0};
      const auto body = [&](int i) {
        struct Count {
          std::atomic<int>& count;
          explicit Count(std::atomic<int>& c) : count(c) { ++count; }
          ~Count() { --count; }
        } const count(running);
        if (i == 50) work(std::chrono::microseconds(10));
        if (i == 60) throw std::runtime_error("iteration 60");
      };
      EXPECT_THROW(jobs::parallel_for(0, 1000, body, grain), std::runtime_error);
      EXPECT_EQ(running, 0);
    }
  });
}

TEST_P(ParallelFor, RethrowsTheExceptionOfTheLowestIndexAmongThoseThatThrew) {
  run([&] {
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> lowest{1000};
      try {
        jobs::parallel_for(
            0, 1000,
            [&](int i) {
              if (i % 10 != 7) return;
              int seen = lowest;
              while (i < seen && !lowest.compare_exchange_weak(seen, i)) {
              }
              throw i;
            },
            jobs::Grain(3));
        ADD_FAILURE() << "expected an exception";
      } catch (const int index) {
        EXPECT_EQ(index, lowest);
      }
    }
  });
}

TEST_P(ParallelFor, Nests) {
  run([&] {
    std::vector<int> counts(50 * 40 * 3);
    jobs::parallel_for(0, 50, [&](int i) {
      jobs::parallel_for(
          0, 40,
          [&](int j) {
            jobs::parallel_for(
                0, 3, [&](int k) { ++counts[static_cast<std::size_t>((i * 40 + j) * 3 + k)]; });
          },
          jobs::Grain(4));
    });
    EXPECT_TRUE(all_are(counts, 1));
  });
}

TEST_P(ParallelFor, LetsIterationsWait) {
  run([&] {
    jobs::Event ready;
    jobs::Counter helper;
    jobs::spawn(helper, [&ready] { ready.signal(); });
    jobs::parallel_for(0, 10, [&](int) { ready.wait(); }, jobs::Grain(1));
    helper.wait();
  });
}

// Such jobs reuse the blocks of parts that have ended, while the worker that released a part still
// checks it.
TEST_P(ParallelFor, StandsBesideJobsInBlocksOfItsSize) {
  run([&] {
    constexpr std::size_t kIterations = 20'000;
    struct Ballast {
      std::size_t words[7];
    };
    std::vector<int> counts(kIterations);
    std::vector<int> spawned(kIterations);
    jobs::Counter counter;
    jobs::parallel_for(
        std::size_t{0}, kIterations,
        [&](std::size_t i) {
          ++counts[i];
          jobs::spawn(counter, [&spawned, ballast = Ballast{{i}}] { ++spawned[ballast.words[0]]; });
          if (i % 64 == 0) jobs::yield();
        },
        jobs::Grain(1));
    counter.wait();
    EXPECT_TRUE(all_are(counts, 1));
    EXPECT_TRUE(all_are(spawned, 1));
  });
}

TEST_P(ParallelFor, SharesALongLoop) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  run([&] {
    const auto home = std::this_thread::get_id();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<bool> shared{false};
    while (!shared && std::chrono::steady_clock::now() < give_up) {
      jobs::parallel_for(0, 500, [&](int) {
        work(std::chrono::microseconds(20));
        if (std::this_thread::get_id() != home) shared = true;
      });
    }
    EXPECT_TRUE(shared);
  });
}

TEST(Grain, RefusesAnExplicitZero) {
  EXPECT_THROW(jobs::Grain(0), std::invalid_argument);
  EXPECT_TRUE(jobs::Grain().is_automatic());
  EXPECT_FALSE(jobs::Grain(1).is_automatic());
}

}  // namespace
