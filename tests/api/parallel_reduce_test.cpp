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
#include <functional>
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

double sum_of_terms(int n) { return jobs::parallel_reduce(0, n, 0.0, term, std::plus<>()); }

TEST_P(ParallelReduce, SumsExactlyWhereSumsAreExact) {
  run([&] {
    for (const std::int64_t n : {1, 2, 3, 255, 256, 257, 1000, 100'000}) {
      const auto sum = jobs::parallel_reduce(std::int64_t{0}, n, std::int64_t{0}, std::identity(),
                                             std::plus<>());
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

TEST_P(ParallelReduce, CombinesInIndexOrder) {
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += std::to_string(i) + ' ';
  run([&] {
    const auto text = jobs::parallel_reduce(
        0, 3000, std::string(), [](int i) { return std::to_string(i) + ' '; }, std::plus<>());
    EXPECT_EQ(text, expected);
  });
}

TEST_P(ParallelReduce, IsTheIdentityForAnEmptyRange) {
  run([&] {
    const auto fail = [](int) -> int { throw std::logic_error("nothing to map"); };
    EXPECT_EQ(jobs::parallel_reduce(0, 0, 17, fail, std::plus<>()), 17);
    EXPECT_EQ(jobs::parallel_reduce(3, -3, 18, fail, std::plus<>()), 18);
  });
}

TEST_P(ParallelReduce, MapsEachIndexOnce) {
  run([&] {
    std::vector<int> counts(10'000);
    const auto largest = jobs::parallel_reduce(
        0, 10'000, -1,
        [&](int i) {
          ++counts[static_cast<std::size_t>(i)];
          return i;
        },
        [](int a, int b) { return std::max(a, b); });
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
        -500, 500, Range(1000, -1000), [](int i) { return Range(i, i); },
        [](const Range& a, const Range& b) {
          return Range(std::min(a.low, b.low), std::max(a.high, b.high));
        });
    EXPECT_EQ(range.low, -500);
    EXPECT_EQ(range.high, 499);
  });
}

TEST_P(ParallelReduce, LetsExceptionsOfMapAndOpThrough) {
  run([&] {
    const auto map = [](int i) { return i == 777 ? throw std::runtime_error("map") : i; };
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(0, 1000, 0, map, std::plus<>())),
                 std::runtime_error);
    const auto op = [](int a, int b) { return b == 777 ? throw std::logic_error("op") : a + b; };
    EXPECT_THROW(static_cast<void>(jobs::parallel_reduce(0, 1000, 0, std::identity(), op)),
                 std::logic_error);
  });
}

}  // namespace
