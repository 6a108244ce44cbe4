// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_reduce(): equal bits for every number of workers.
#include "jobs/parallel_reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/with_workers.hpp"

namespace {

class ParallelReduce : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ParallelReduce);

// Terms of very different sizes, so that the order of additions affects the sum.
double term(int i) { return std::ldexp(1.0 + i % 97 / 97.0, i * 7 % 60 - 30); }

double sum_of_terms(int n) { return jobs::parallel_reduce(0, n, 0.0, std::plus<>(), term); }

TEST_P(ParallelReduce, SumsExactlyWhereSumsAreExact) {
  run([&] {
    for (const std::int64_t n : {1, 2, 3, 255, 256, 257, 1000, 100'000}) {
      const auto sum = jobs::parallel_reduce(std::int64_t{0}, n, std::int64_t{0}, std::plus<>(),
                                             std::identity());
      EXPECT_EQ(sum, n * (n - 1) / 2);
    }
  });
}

TEST_P(ParallelReduce, HasTheSameBitsEverywhere) {
  // Computed once on one worker, where no fork is possible.
  constexpr std::array kSizes{100, 1000, 54'321};
  static const auto expected = [&] {
    std::array<double, kSizes.size()> sums;
    jobs::Scheduler scheduler({.worker_count = 1});
    std::transform(kSizes.begin(), kSizes.end(), sums.begin(),
                   [&](int n) { return scheduler.run([n] { return sum_of_terms(n); }); });
    return sums;
  }();
  run([&] {
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < kSizes.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_of_terms(kSizes[i])),
                  std::bit_cast<std::uint64_t>(expected[i]));
      }
    }
  });
}

using Chunk = std::pair<int, int>;

// The leaves of a reduction in the order in which op combines them.
std::vector<Chunk> leaves_of(int first, int last, jobs::Grain grain) {
  const auto append = [](std::vector<Chunk> left, const std::vector<Chunk>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  };
  return jobs::parallel_reduce(
      first, last, std::vector<Chunk>(), append,
      [](int begin, int end) { return std::vector<Chunk>{{begin, end}}; }, grain);
}

TEST_P(ParallelReduce, MapsPartsWithFixedBoundaries) {
  run([&] {
    for (const int grain : {1, 7, 64, 999, 1000, 5000}) {
      std::vector<Chunk> expected;
      for (int begin = -17; begin < 983; begin += grain)
        expected.emplace_back(begin, std::min(begin + grain, 983));
      const auto size = static_cast<std::size_t>(grain);
      EXPECT_EQ(leaves_of(-17, 983, jobs::Grain(size)), expected);
      EXPECT_EQ(leaves_of(-17, 983, jobs::Grain(size)), expected);
    }
    EXPECT_EQ(leaves_of(0, 10, jobs::Grain(SIZE_MAX)), (std::vector<Chunk>{{0, 10}}));
    // The automatic grain: ceil(n / 256).
    const auto leaves = leaves_of(0, 1000, {});
    EXPECT_EQ(leaves.size(), 250u);
    EXPECT_EQ(leaves.front(), Chunk(0, 4));
    EXPECT_EQ(leaves.back(), Chunk(996, 1000));
  });
}

TEST_P(ParallelReduce, HasTheSameBitsEverywhereInEachForm) {
  constexpr int kSize = 20'000;
  std::vector<double> terms;
  for (int i = 0; i < kSize; ++i) terms.push_back(term(i));
  const auto part = [](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += term(i);
    return sum;
  };
  const auto sums = [&] {
    return std::array{
        jobs::parallel_reduce(0, kSize, 0.0, std::plus<>(), part),
        jobs::parallel_reduce(0, kSize, 0.0, std::plus<>(), part, jobs::Grain(64)),
        jobs::parallel_reduce(0, kSize, 0.0, std::plus<>(), term, jobs::Grain(100)),
        jobs::parallel_reduce(terms, 0.0, std::plus<>(), std::plus<>()),
        jobs::parallel_reduce(terms, 0.0, std::plus<>(), std::plus<>(), jobs::Grain(100))};
  };
  static const auto expected = [&] {
    jobs::Scheduler scheduler({.worker_count = 1});
    return scheduler.run(sums);
  }();
  // The forms with one grain have one tree: only the map differs.
  EXPECT_EQ(expected[2], expected[4]);
  EXPECT_EQ(expected[0], expected[3]);
  run([&] {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(std::memcmp(sums().data(), expected.data(), sizeof(expected)), 0);
    }
  });
}

TEST_P(ParallelReduce, FoldsElementsIntoAnotherType) {
  std::vector<int> numbers(3000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::string expected;
  for (const int number : numbers) expected += std::to_string(number) + ' ';
  run([&] {
    const auto write = [](std::string text, int number) {
      return std::move(text) + std::to_string(number) + ' ';
    };
    EXPECT_EQ(jobs::parallel_reduce(numbers, std::string(), std::plus<>(), write), expected);
    EXPECT_EQ(jobs::parallel_reduce(numbers, std::string(), std::plus<>(), write, jobs::Grain(7)),
              expected);
    EXPECT_EQ(jobs::parallel_reduce(std::vector<int>(), std::string("none"), std::plus<>(), write),
              "none");
    const auto fail = [](int sum, int number) {
      return number == 777 ? throw std::runtime_error("fold") : sum + number;
    };
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(numbers, 0, std::plus<>(), fail)),
                 std::runtime_error);
  });
}

TEST_P(ParallelReduce, TakesBoundsOfDifferentTypes) {
  run([&] {
    const std::vector<int> ones(1000, 1);
    const auto at = [&](std::size_t i) { return ones[i]; };
    EXPECT_EQ(jobs::parallel_reduce(0, ones.size(), 0, std::plus<>(), at), 1000);
    EXPECT_EQ(jobs::parallel_reduce(5u, -5, 3, std::plus<>(), at), 3) << "a reversed range";
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(-1, ones.size(), 0, std::plus<>(), at)),
                 std::out_of_range);
  });
}

TEST_P(ParallelReduce, CombinesInIndexOrder) {
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += std::to_string(i) + ' ';
  run([&] {
    const auto text = jobs::parallel_reduce(0, 3000, std::string(), std::plus<>(),
                                            [](int i) { return std::to_string(i) + ' '; });
    EXPECT_EQ(text, expected);
  });
}

TEST_P(ParallelReduce, IsTheIdentityForAnEmptyRange) {
  run([&] {
    const auto fail = [](int) -> int { throw std::logic_error("nothing to map"); };
    EXPECT_EQ(jobs::parallel_reduce(0, 0, 17, std::plus<>(), fail), 17);
    EXPECT_EQ(jobs::parallel_reduce(3, -3, 18, std::plus<>(), fail), 18);
  });
}

// An integer of floating-point numbers is refused only where a number becomes that integer.
TEST_P(ParallelReduce, CountsNumbersInAnInteger) {
  run([] {
    const auto count = [](int sum, double x) { return sum + (x > 0.5 ? 1 : 0); };
    const std::vector<double> numbers = {0.25, 0.75, 1.5};
    const auto half = [](int i) { return 0.5 * i; };
    EXPECT_EQ(jobs::parallel_reduce(numbers, 0, std::plus<>(), count), 2);
    EXPECT_TRUE(
        jobs::parallel_transform_reduce(numbers, false, std::logical_or<>(), std::identity()));
    EXPECT_EQ(jobs::parallel_reduce(0, 10, 0.0, std::plus<>(), half), 22.5);
  });
}

TEST_P(ParallelReduce, MapsEachIndexOnce) {
  run([&] {
    std::vector<int> counts(10'000);
    const auto largest = jobs::parallel_reduce(
        0, 10'000, -1, [](int a, int b) { return std::max(a, b); },
        [&](int i) {
          ++counts[static_cast<std::size_t>(i)];
          return i;
        });
    EXPECT_EQ(largest, 9999);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1), 10'000);
  });
}

TEST_P(ParallelReduce, CarriesResultsThatCannotBeDefaultConstructed) {
  struct Range {
    Range(int l, int h) : low(l), high(h) {}
    int low, high;
  };
  run([&] {
    const Range range = jobs::parallel_reduce(
        -500, 500, Range(1000, -1000),
        [](const Range& a, const Range& b) {
          return Range(std::min(a.low, b.low), std::max(a.high, b.high));
        },
        [](int i) { return Range(i, i); });
    EXPECT_EQ(range.low, -500);
    EXPECT_EQ(range.high, 499);
  });
}

// A histogram, for example. The tree of a reduction needs about 40 of them at a time.
struct Large {
  std::array<std::uint32_t, 1024> parts{};
  bool operator==(const Large&) const = default;
};
Large operator+(Large left, const Large& right) {
  for (std::size_t i = 0; i < left.parts.size(); ++i) left.parts[i] += right.parts[i];
  return left;
}

TEST_P(ParallelReduce, KeepsLargeValuesOnTheHeap) {
  constexpr std::uint32_t kMany = 1000;
  const auto one = [](std::uint32_t i) {
    Large value;
    value.parts[i] = i + 1;
    return value;
  };
  Large expected;
  for (std::uint32_t i = 0; i < kMany; ++i) expected.parts[i] = i + 1;
  run([&] {
    const auto add = [](Large left, const Large& right) { return std::move(left) + right; };
    EXPECT_TRUE(jobs::parallel_reduce(0u, kMany, Large(), add, one) == expected);
    const auto part = [](std::uint32_t begin, std::uint32_t end) {
      Large value;
      for (std::uint32_t i = begin; i < end; ++i) value.parts[i] = i + 1;
      return value;
    };
    EXPECT_TRUE(jobs::parallel_reduce(0u, kMany, Large(), add, part, jobs::Grain(10)) == expected);
    std::vector<std::uint32_t> indices(kMany);
    std::iota(indices.begin(), indices.end(), 0u);
    const auto count = [](Large value, std::uint32_t i) {
      value.parts[i] += i + 1;
      return value;
    };
    EXPECT_TRUE(jobs::parallel_reduce(indices, Large(), add, count) == expected);
    EXPECT_TRUE(jobs::parallel_transform_reduce(indices, Large(), add, one) == expected);
    EXPECT_TRUE(jobs::parallel_reduce(0u, 0u, one(3), add, one) == one(3)) << "an empty range";
  });
}

TEST_P(ParallelReduce, LetsExceptionsOfMapAndOpThrough) {
  run([&] {
    const auto map = [](int i) { return i == 777 ? throw std::runtime_error("map") : i; };
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(0, 1000, 0, std::plus<>(), map)),
                 std::runtime_error);
    const auto op = [](int a, int b) { return b == 777 ? throw std::logic_error("op") : a + b; };
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(0, 1000, 0, op, std::identity())),
                 std::logic_error);
  });
}

}  // namespace
