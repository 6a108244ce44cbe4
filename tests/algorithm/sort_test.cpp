// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts, against those of the standard library.
#include "jobs/algorithm/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "jobs/algorithm/radix_sort.hpp"
#include "jobs/algorithm/stable_sort.hpp"
#include "jobs/fork_join.hpp"
#include "tests/algorithm/inputs.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace jobs::test;

class Sort : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Sort);

constexpr auto kByKey = [](const Item& a, const Item& b) { return a.key < b.key; };

template <class T>
void expect_sorted_like_std() {
  for (const std::size_t n : kSizes) {
    for (const Pattern pattern : kPatterns) {
      // Takes too long.
      if (std::is_same_v<T, std::string> && n > 100'000 && pattern != Pattern::kRandom) continue;
      auto values = make_input<T>(pattern, n, seed() + n);
      auto expected = values;
      std::sort(expected.begin(), expected.end());
      auto stable = values;
      jobs::parallel_sort(values);
      ASSERT_TRUE(values == expected)
          << n << " in pattern " << static_cast<int>(pattern) << ", " << replay();
      jobs::parallel_stable_sort(stable);
      ASSERT_TRUE(stable == expected)
          << n << " in pattern " << static_cast<int>(pattern) << ", " << replay();
    }
  }
}

TEST_P(Sort, SortsNumbersLikeStd) {
  run([] {
    expect_sorted_like_std<int>();
    expect_sorted_like_std<double>();
  });
}

TEST_P(Sort, SortsStringsLikeStd) {
  run([] { expect_sorted_like_std<std::string>(); });
}

TEST_P(Sort, KeepsTheOrderOfEqualElementsIfStable) {
  run([] {
    for (const std::size_t n : kSizes) {
      auto values = make_input<Item>(Pattern::kFewValues, n, seed());
      auto expected = values;
      std::sort(expected.begin(), expected.end(), jobs::test::is_before_by_key_and_tag);
      auto by_radix = values;
      jobs::parallel_stable_sort(values, {}, &Item::key);
      EXPECT_TRUE(values == expected) << n << ", " << replay();
      jobs::parallel_radix_sort(by_radix, &Item::key);
      EXPECT_TRUE(by_radix == expected) << n << ", " << replay();
    }
  });
}

TEST_P(Sort, HasTheSameOrderOfEqualElementsEverywhere) {
  constexpr std::size_t kSize = 300'000;
  const auto hash = [] {
    auto values = make_input<Item>(Pattern::kFewValues, kSize, 7);
    jobs::parallel_sort(values, kByKey);
    return jobs::test::hash_of(values);
  };
  static const std::uint64_t expected = jobs::test::on_one_worker(hash);
  EXPECT_EQ(run(hash), expected);
}

TEST_P(Sort, MovesWhatCannotBeCopied) {
  run([] {
    const auto by_value = [](const auto& a, const auto& b) { return *a < *b; };
    for (const std::size_t n : {5u, 100u, 3000u, 40'000u}) {
      auto values = make_input<std::unique_ptr<int>>(Pattern::kRandom, n, seed());
      jobs::parallel_sort(values, by_value);
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), by_value)) << n << ", " << replay();
      values = make_input<std::unique_ptr<int>>(Pattern::kRandom, n, seed());
      jobs::parallel_stable_sort(values, by_value);
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), by_value)) << n << ", " << replay();
    }
  });
}

TEST_P(Sort, SortsRangesThatAreNotOnePieceOfMemory) {
  run([] {
    const auto values = make_input<int>(Pattern::kRandom, 50'000, seed());
    std::deque<int> deque(values.begin(), values.end());
    jobs::parallel_sort(deque, std::greater<>());
    EXPECT_TRUE(std::is_sorted(deque.rbegin(), deque.rend()));
    deque.assign(values.begin(), values.end());
    jobs::parallel_stable_sort(deque.begin() + 1, deque.end());
    EXPECT_TRUE(std::is_sorted(deque.begin() + 1, deque.end()));
    EXPECT_EQ(deque.front(), values.front()) << "is not part of the range";
    deque.assign(values.begin(), values.end());
    jobs::parallel_radix_sort(deque);
    EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
  });
}

// Sorts with a comparison that throws at its `call`-th call; afterwards all elements must still
// exist.
template <class T, class SortWith>
void expect_no_loss(std::size_t n, std::size_t call, SortWith&& sort_with) {
  auto values = make_input<T>(Pattern::kRandom, n, seed());
  auto sorted = values;
  ThrowAt throw_at(call);
  const auto compare = [&throw_at](const T& a, const T& b) {
    throw_at();
    return a < b;
  };
  EXPECT_THROW(sort_with(values, compare), std::runtime_error);
  std::sort(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_TRUE(values == sorted) << n << " elements, call " << call << ", " << replay();
}

template <class T, class SortWith>
void expect_no_loss_anywhere(SortWith&& sort_with) {
  for (std::size_t call = 0; call < 60; ++call) expect_no_loss<T>(32, call, sort_with);
  for (std::size_t call = 60; call < 8000; call += 797) expect_no_loss<T>(1000, call, sort_with);
  for (std::size_t call = 0; call < 100'000; call += 33'117)
    expect_no_loss<T>(10'000, call, sort_with);
  expect_no_loss<T>(140'000, 1'700'000, sort_with);  // several workers divide or merge it
}

TEST_P(Sort, LosesNothingIfAComparisonThrows) {
  run([] {
    const auto unstable = [](auto& values, const auto& compare) {
      jobs::parallel_sort(values, compare);
    };
    const auto stable = [](auto& values, const auto& compare) {
      jobs::parallel_stable_sort(values, compare);
    };
    expect_no_loss_anywhere<int>(unstable);
    expect_no_loss_anywhere<int>(stable);
    expect_no_loss_anywhere<std::string>(unstable);
    expect_no_loss_anywhere<std::string>(stable);
  });
}

TEST_P(Sort, StaysInTheRangeWhateverTheComparisonSays) {
  run([] {
    auto values = make_input<int>(Pattern::kRandom, 150'000, seed());
    const auto cyclic = [](int a, int b) { return (a ^ b) % 3 == 0; };
    // The address sanitizer checks the bounds.
    jobs::parallel_sort(values.begin() + 1, values.end() - 1, cyclic);
    jobs::parallel_stable_sort(values.begin() + 1, values.end() - 1, cyclic);
    jobs::parallel_sort(values, [](int, int) { return true; });
  });
}

// Quicksort with these pivots would take n^2 steps.
TEST_P(Sort, IsNotSlowForAnyInput) {
  run([] {
    std::size_t comparisons = 0;
    std::vector<int> values(4000);
    std::iota(values.begin(), values.end(), 0);
    // The adversary of M. D. McIlroy, "A killer adversary for quicksort", SP&E 29(4), 1999, chooses
    // the value of an element when it is compared. It needs one thread, so the range is too short
    // to be shared.
    std::vector<int> keys(values.size(), std::numeric_limits<int>::max());
    int solid = 0;
    int candidate = 0;
    jobs::parallel_sort(values, [&](int a, int b) {
      ++comparisons;
      const auto x = static_cast<std::size_t>(a);
      const auto y = static_cast<std::size_t>(b);
      const int gas = std::numeric_limits<int>::max();
      if (keys[x] == gas && keys[y] == gas) keys[a == candidate ? x : y] = solid++;
      if (keys[x] == gas) candidate = a;
      if (keys[y] == gas) candidate = b;
      return keys[x] < keys[y];
    });
    EXPECT_LT(comparisons, values.size() * 12 * 8);
  });
}

TEST_P(Sort, NestsInJobs) {
  run([] {
    auto a = make_input<int>(Pattern::kRandom, 30'000, seed());
    auto b = make_input<std::string>(Pattern::kRandom, 10'000, seed());
    jobs::fork_join([&] { jobs::parallel_sort(a); }, [&] { jobs::parallel_stable_sort(b); });
    EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
    EXPECT_TRUE(std::is_sorted(b.begin(), b.end()));
  });
}

template <class K>
void expect_radix_sorted() {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 5000u, 100'001u}) {
    auto keys = make_input<K>(Pattern::kRandom, n, seed());
    if (n > 10) {
      keys[3] = std::numeric_limits<K>::max();
      keys[n / 2] = std::numeric_limits<K>::lowest();
      keys[n - 1] = K{0};
    }
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    jobs::parallel_radix_sort(keys);
    EXPECT_TRUE(keys == expected) << n << ", " << replay();
  }
}

TEST_P(Sort, SortsKeysOfEveryTypeByTheirDigits) {
  run([] {
    expect_radix_sorted<std::int8_t>();
    expect_radix_sorted<std::uint16_t>();
    expect_radix_sorted<int>();
    expect_radix_sorted<std::int64_t>();
    expect_radix_sorted<std::uint64_t>();
    expect_radix_sorted<float>();
    expect_radix_sorted<double>();
  });
}

TEST_P(Sort, OrdersFloatingPointKeysTotally) {
  run([] {
    for (const std::size_t copies : {1u, 1000u}) {  // by comparison, and by digits
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> values;
      for (std::size_t i = 0; i < copies; ++i)
        values.insert(values.end(), {nan, 1.0, 0.0, -0.0, -1.0, -nan});
      jobs::parallel_radix_sort(values);
      EXPECT_TRUE(std::isnan(values.front()) && std::signbit(values.front()));
      EXPECT_TRUE(std::isnan(values.back()) && !std::signbit(values.back()));
      EXPECT_EQ(values[copies], -1.0);
      EXPECT_TRUE(std::signbit(values[2 * copies]));
      EXPECT_FALSE(std::signbit(values[3 * copies]));
    }
  });
}

TEST_P(Sort, TakesValuesAlongWithTheirKeys) {
  run([] {
    for (const std::size_t n : {0u, 1u, 100u, 50'000u}) {
      auto keys = make_input<float>(Pattern::kRandom, n, seed());
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      const auto original = keys;
      jobs::parallel_sort_by_key(keys, order);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(keys[i], original[order[i]]) << replay();
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
    std::vector<int> two{2, 1};
    std::vector<int> one{1};
    EXPECT_THROW(jobs::parallel_sort_by_key(two, one), std::invalid_argument);
  });
}

}  // namespace
