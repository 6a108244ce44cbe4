// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Algorithms that read a range and leave it unchanged: find, extremes, histogram.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <vector>

#include "jobs/algorithm/find.hpp"
#include "jobs/algorithm/histogram.hpp"
#include "jobs/algorithm/min_max.hpp"
#include "tests/algorithm/inputs.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace jobs::test;

class Search : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Search);

TEST_P(Search, FindsTheFirstOfMany) {
  run([] {
    for (const std::size_t n : kSizes) {
      std::vector<int> values(n, 0);
      EXPECT_EQ(jobs::parallel_find(values, 1), values.end());
      for (const std::size_t at : {n - 1, n * 3 / 4, n / 2, n / 7, std::size_t{0}}) {
        if (at >= n) continue;
        values[at] = 1;  // the values behind it stay
        EXPECT_EQ(jobs::parallel_find(values, 1) - values.begin(), static_cast<std::ptrdiff_t>(at))
            << "of " << n;
      }
    }
  });
}

// The difference of two iterators of this range has more than 64 bits.
TEST_P(Search, TakesIndicesOf64Bits) {
  run([] {
    const auto indices = std::views::iota(std::size_t{0}, std::size_t{100'000});
    const auto square = [](std::size_t i) { return i * i > 5'000'000'000; };
    EXPECT_EQ(*jobs::parallel_find_if(indices, square), 70'711u);
    EXPECT_EQ(*jobs::parallel_find(indices, std::size_t{99'999}), 99'999u);
    EXPECT_EQ(jobs::parallel_find(indices, std::size_t{100'000}), indices.end());
    EXPECT_TRUE(jobs::parallel_any_of(indices, square));
    EXPECT_FALSE(jobs::parallel_all_of(indices, square));
    EXPECT_FALSE(jobs::parallel_none_of(indices, square));
  });
}

TEST_P(Search, AnswersWhetherAnyAllOrNone) {
  run([] {
    std::deque<int> values(50'000, 2);
    const auto is_even = [](int x) { return x % 2 == 0; };
    EXPECT_TRUE(jobs::parallel_all_of(values, is_even));
    EXPECT_TRUE(jobs::parallel_any_of(values, is_even));
    EXPECT_FALSE(jobs::parallel_none_of(values, is_even));
    values[40'000] = 3;
    EXPECT_FALSE(jobs::parallel_all_of(values, is_even));
    EXPECT_TRUE(jobs::parallel_any_of(values, [](int x) { return x == 3; }));
    EXPECT_TRUE(jobs::parallel_none_of(values, [](int x) { return x == 4; }));
    values.clear();
    EXPECT_TRUE(jobs::parallel_all_of(values, is_even));
    EXPECT_FALSE(jobs::parallel_any_of(values, is_even));
    EXPECT_TRUE(jobs::parallel_none_of(values, is_even));
  });
}

TEST_P(Search, StopsEarly) {
  run([] {
    const std::vector<int> values(2'000'000, 1);
    std::atomic<int> calls{0};
    const auto found = jobs::parallel_find_if(values, [&](int) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return true;
    });
    EXPECT_EQ(found, values.begin());
    EXPECT_LT(calls, 200'000);
  });
}

TEST_P(Search, LetsAnExceptionOfThePredicateThrough) {
  run([] {
    const std::vector<int> values(10'000, 1);
    jobs::test::ThrowAt throw_at(5000);
    const auto predicate = [&](int) {
      throw_at();
      return false;
    };
    EXPECT_THROW(static_cast<void>(jobs::parallel_find_if(values, predicate)), std::runtime_error);
  });
}

TEST_P(Search, FindsTheExtremesThatStdFinds) {
  run([] {
    for (const std::size_t n : kSizes) {
      for (const Pattern pattern : {Pattern::kRandom, Pattern::kFewValues}) {
        const auto values = make_input<int>(pattern, n, seed());
        EXPECT_EQ(jobs::parallel_min_element(values),
                  std::min_element(values.begin(), values.end()))
            << replay();
        EXPECT_EQ(jobs::parallel_max_element(values),
                  std::max_element(values.begin(), values.end()))
            << replay();
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const auto both = jobs::parallel_minmax_element(values);
        EXPECT_EQ(both.min, low) << replay();
        EXPECT_EQ(both.max, high) << n << ", " << replay();
        EXPECT_EQ(jobs::parallel_max_element(values, std::greater<>()),
                  std::min_element(values.begin(), values.end()));
      }
    }
  });
}

template <class T>
class Integers : public testing::Test {};
using IntegerTypes =
    testing::Types<signed char, unsigned char, short, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

// Each length around the number of elements per comparison step, each position, and values at
// both ends of the type.
TYPED_TEST(Integers, AreFoundWhereTheyStand) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 200u}) {
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<T> values(n, T{7});
        values[at] = Limits::max();
        EXPECT_EQ(jobs::parallel_find(values, Limits::max()) - values.begin(),
                  static_cast<std::ptrdiff_t>(at));
        EXPECT_EQ(jobs::parallel_find(values, T{8}), values.end());
        EXPECT_EQ(jobs::parallel_minmax_element(values).max - values.begin(),
                  static_cast<std::ptrdiff_t>(at));
        values[n / 2] = Limits::max();
        EXPECT_EQ(jobs::parallel_max_element(values),
                  std::max_element(values.begin(), values.end()));
        EXPECT_EQ(jobs::parallel_minmax_element(values).max,
                  std::minmax_element(values.begin(), values.end()).second);
        values[at] = Limits::min();
        EXPECT_EQ(jobs::parallel_min_element(values),
                  std::min_element(values.begin(), values.end()));
      }
    }
  });
}

TEST_P(Search, CountsEachElementInItsBin) {
  run([] {
    for (const std::size_t n : kSizes) {
      for (const std::size_t bins : {1u, 10u, 20'000u}) {
        const auto values = make_input<std::uint32_t>(Pattern::kRandom, n, seed());
        std::vector<std::size_t> expected(bins);
        for (const std::uint32_t x : values) ++expected[x % bins];
        EXPECT_EQ(jobs::parallel_histogram(values, bins, [&](std::uint32_t x) { return x % bins; }),
                  expected)
            << replay();
      }
    }
  });
}

TEST_P(Search, RefusesBinsThatDoNotExist) {
  run([] {
    std::vector<int> values(10'000, 3);
    EXPECT_THROW(static_cast<void>(jobs::parallel_histogram(values, 3)), std::out_of_range);
    values.assign(10'000, -1);
    EXPECT_THROW(static_cast<void>(jobs::parallel_histogram(values, 3)), std::out_of_range);
  });
}

}  // namespace
