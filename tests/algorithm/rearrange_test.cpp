// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Algorithms that write a range, or reorder it without a sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobs/algorithm/copy_if.hpp"
#include "jobs/algorithm/merge.hpp"
#include "jobs/algorithm/partition.hpp"
#include "jobs/algorithm/random_at.hpp"
#include "jobs/algorithm/transform.hpp"
#include "jobs/algorithm/unique.hpp"
#include "tests/algorithm/inputs.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace jobs::test;

class Rearrange : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Rearrange);

constexpr auto kIsOdd = [](int x) { return x % 2 != 0; };

TEST_P(Rearrange, CopiesInOrderWhatIsChosen) {
  run([] {
    for (const std::size_t n : kSizes) {
      const auto values = make_input<int>(Pattern::kRandom, n, seed());
      std::vector<int> expected;
      std::copy_if(values.begin(), values.end(), std::back_inserter(expected), kIsOdd);
      std::vector<int> out(n);
      out.erase(jobs::parallel_copy_if(values, out.begin(), kIsOdd), out.end());
      EXPECT_TRUE(out == expected) << n << ", " << replay();
    }
  });
}

template <class T>
void expect_unique_like_std() {
  for (const std::size_t n : kSizes) {
    for (const Pattern pattern : {Pattern::kFewValues, Pattern::kSorted}) {
      auto values = make_input<T>(pattern, n, seed());
      if (pattern == Pattern::kFewValues && n > 30'000) {  // runs that are longer than a block
        std::sort(values.begin(), values.end());
      }
      auto expected = values;
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      values.erase(jobs::parallel_unique(values), values.end());
      EXPECT_TRUE(values == expected) << n << ", " << replay();
    }
  }
}

TEST_P(Rearrange, KeepsOneOfEachRun) {
  run([] {
    expect_unique_like_std<int>();
    expect_unique_like_std<std::string>();
  });
}

TEST_P(Rearrange, RemovesInOrder) {
  run([] {
    for (const std::size_t n : kSizes) {
      auto values = make_input<int>(Pattern::kRandom, n, seed());
      auto expected = values;
      expected.erase(std::remove_if(expected.begin(), expected.end(), kIsOdd), expected.end());
      values.erase(jobs::parallel_remove_if(values, kIsOdd), values.end());
      EXPECT_TRUE(values == expected) << n << ", " << replay();
    }
  });
}

TEST_P(Rearrange, PartitionsAndLosesNothing) {
  run([] {
    for (const std::size_t n : kSizes) {
      auto values = make_input<int>(Pattern::kRandom, n, seed());
      auto sorted = values;
      const auto middle = jobs::parallel_partition(values, kIsOdd);
      EXPECT_TRUE(std::all_of(values.begin(), middle, kIsOdd)) << n << ", " << replay();
      EXPECT_TRUE(std::none_of(middle, values.end(), kIsOdd)) << n << ", " << replay();
      std::sort(values.begin(), values.end());
      std::sort(sorted.begin(), sorted.end());
      EXPECT_TRUE(values == sorted) << n << ", " << replay();
      auto pointers = make_input<std::unique_ptr<int>>(Pattern::kRandom, n, seed());
      const auto at = jobs::parallel_partition(pointers, [](const auto& p) { return kIsOdd(*p); });
      EXPECT_EQ(at - pointers.begin(), std::count_if(values.begin(), values.end(), kIsOdd))
          << n << ", " << replay();
      EXPECT_TRUE(std::all_of(pointers.begin(), at, [](const auto& p) { return kIsOdd(*p); }));
    }
  });
}

TEST_P(Rearrange, LosesNothingIfThePredicateThrows) {
  run([] {
    for (const std::size_t call : {0u, 1u, 63u, 70'000u, 149'000u}) {
      auto values = make_input<int>(Pattern::kRandom, 150'000, seed());
      auto sorted = values;
      ThrowAt throw_at(call);
      const auto predicate = [&](int x) {
        throw_at();
        return kIsOdd(x);
      };
      EXPECT_THROW(jobs::parallel_partition(values, predicate), std::runtime_error);
      std::sort(values.begin(), values.end());
      std::sort(sorted.begin(), sorted.end());
      EXPECT_TRUE(values == sorted) << "call " << call << ", " << replay();
    }
  });
}

TEST_P(Rearrange, PutsTheNthElementIntoItsPlace) {
  run([] {
    for (const std::size_t n : kSizes) {
      for (const Pattern pattern : kPatterns) {
        auto values = make_input<int>(pattern, n, seed());
        auto sorted = values;
        std::sort(sorted.begin(), sorted.end());
        for (const std::size_t k : {std::size_t{0}, n / 3, n - 1}) {
          if (k >= n) continue;
          const auto nth = values.begin() + static_cast<std::ptrdiff_t>(k);
          jobs::parallel_nth_element(values, nth);
          ASSERT_EQ(*nth, sorted[k]) << replay();
          ASSERT_TRUE(std::all_of(values.begin(), nth, [&](int x) { return x <= *nth; }))
              << replay();
          ASSERT_TRUE(std::all_of(nth, values.end(), [&](int x) { return x >= *nth; })) << replay();
        }
        jobs::parallel_nth_element(values, values.end());
      }
    }
  });
}

TEST_P(Rearrange, HasTheSameOrderEverywhere) {
  const auto hash = [] {
    auto values = make_input<Item>(Pattern::kFewValues, 300'000, 7);
    jobs::parallel_partition(values, [](const Item& item) { return item.key < 2; });
    const std::uint64_t first = jobs::test::hash_of(values);
    jobs::parallel_nth_element(values, values.begin() + 100'000, {}, &Item::key);
    return first * 31 + jobs::test::hash_of(values);
  };
  static const std::uint64_t expected = jobs::test::on_one_worker(hash);
  EXPECT_EQ(run(hash), expected);
}

TEST_P(Rearrange, MergesStably) {
  run([] {
    for (const std::size_t n : kSizes) {
      for (const std::size_t m : {std::size_t{0}, std::size_t{5}, n / 2, n}) {
        auto a = make_input<Item>(Pattern::kFewValues, n, seed());
        auto b = make_input<Item>(Pattern::kFewValues, m, seed() + 1);
        const auto by_key = [](const Item& x, const Item& y) { return x.key < y.key; };
        std::sort(a.begin(), a.end(), jobs::test::is_before_by_key_and_tag);
        std::sort(b.begin(), b.end(), jobs::test::is_before_by_key_and_tag);
        std::vector<Item> expected(n + m);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key);
        std::vector<Item> out(n + m);
        EXPECT_EQ(jobs::parallel_merge(a, b, out.begin(), {}, &Item::key, &Item::key), out.end());
        EXPECT_TRUE(out == expected) << n << " and " << m << ", " << replay();
      }
    }
  });
}

TEST_P(Rearrange, MergesStringsOutOfADeque) {
  run([] {
    auto a = make_input<std::string>(Pattern::kRandom, 9000, seed());
    const auto more = make_input<std::string>(Pattern::kRandom, 7000, seed() + 1);
    std::deque<std::string> b(more.begin(), more.end());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<std::string> expected;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    std::vector<std::string> out(a.size() + b.size());
    jobs::parallel_merge(a, b, out.begin());
    EXPECT_TRUE(out == expected) << replay();
    jobs::test::ThrowAt throw_at(8000);
    EXPECT_THROW(jobs::parallel_merge(a, b, out.begin(),
                                      [&](const std::string& x, const std::string& y) {
                                        throw_at();
                                        return x < y;
                                      }),
                 std::runtime_error);
  });
}

TEST_P(Rearrange, TransformsAndGeneratesEachElementOnce) {
  run([] {
    for (const std::size_t n : kSizes) {
      std::vector<std::size_t> values(n);
      jobs::parallel_generate(values, [](std::size_t i) { return i * i; });
      std::vector<std::string> texts(n);
      EXPECT_EQ(jobs::parallel_transform(values, texts.begin(),
                                         [](std::size_t x) { return std::to_string(x); }),
                texts.end());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(texts[i], std::to_string(i * i));
      EXPECT_EQ(jobs::parallel_for_each_n(values.begin(), static_cast<std::ptrdiff_t>(n / 2),
                                          [](std::size_t& x) { x = 0; }),
                values.begin() + static_cast<std::ptrdiff_t>(n / 2));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], i < n / 2 ? 0 : i * i);
    }
    const std::vector<int> in(10'000);
    std::vector<int> out(10'000);
    EXPECT_THROW(jobs::parallel_transform(in, out.begin(),
                                          [](int) -> int { throw std::runtime_error("no"); }),
                 std::runtime_error);
  });
}

TEST_P(Rearrange, DrawsTheSameRandomNumbersEverywhere) {
  const auto hash = [] {
    std::vector<std::uint64_t> values(50'000);
    jobs::parallel_generate(values, jobs::RandomAt(42));
    return jobs::test::hash_of(values);
  };
  static const std::uint64_t expected = jobs::test::on_one_worker(hash);
  EXPECT_EQ(run(hash), expected);
}

// The known answers that the authors of Philox publish.
TEST(RandomAt, IsPhilox) {
  using Words = jobs::RandomAt::Words;
  EXPECT_EQ(jobs::RandomAt(0).block(0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(jobs::RandomAt(~0ull).block(~0ull, ~0ull),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(jobs::RandomAt(0x299f31d0a4093822).block(0x85a308d3243f6a88, 0x0370734413198a2e),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomAt, FillsTheUnitInterval) {
  const jobs::RandomAt random(1);
  double sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const double x = random.real(i);
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
  EXPECT_NE(random(1), random(1, 1));
}

}  // namespace
