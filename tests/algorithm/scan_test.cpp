// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scans, against those of the standard library.
#include "jobs/algorithm/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "jobs/fork_join.hpp"
#include "jobs/spawn.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/algorithm/inputs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace jobs::test;

class ScanOf : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ScanOf);

TEST_P(ScanOf, NumbersIsThatOfStd) {
  run([] {
    const auto twice = [](std::uint32_t x) { return 2 * std::uint64_t{x}; };
    for (const std::size_t n : kSizes) {
      const auto in = make_input<std::uint32_t>(Pattern::kRandom, n, seed());
      std::vector<std::uint32_t> expected(n);
      std::vector<std::uint32_t> out(n);
      std::inclusive_scan(in.begin(), in.end(), expected.begin());
      EXPECT_EQ(jobs::parallel_inclusive_scan(in, out.begin()), out.end());
      EXPECT_TRUE(out == expected) << n << ", " << replay();
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 5u);
      jobs::parallel_exclusive_scan(in, out.begin(), 5u);
      EXPECT_TRUE(out == expected) << n << ", " << replay();
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::bit_xor<>(), 77u);
      jobs::parallel_inclusive_scan(in, out.begin(), 77u, std::bit_xor<>());
      EXPECT_TRUE(out == expected) << n << ", " << replay();
      std::vector<std::uint64_t> wide_expected(n);
      std::vector<std::uint64_t> wide(n);
      std::transform_inclusive_scan(in.begin(), in.end(), wide_expected.begin(), std::plus<>(),
                                    twice);
      jobs::parallel_transform_inclusive_scan(in, wide.begin(), std::plus<>(), twice);
      EXPECT_TRUE(wide == wide_expected) << n << ", " << replay();
      std::transform_exclusive_scan(in.begin(), in.end(), wide_expected.begin(), std::uint64_t{1},
                                    std::plus<>(), twice);
      jobs::parallel_transform_exclusive_scan(in, wide.begin(), std::uint64_t{1}, std::plus<>(),
                                              twice);
      EXPECT_TRUE(wide == wide_expected) << n << ", " << replay();
    }
  });
}

TEST_P(ScanOf, ARangeMayGoIntoTheRangeItself) {
  run([] {
    for (const std::size_t n : kSizes) {
      const auto in = make_input<std::uint32_t>(Pattern::kRandom, n, seed());
      auto values = in;
      std::vector<std::uint32_t> expected(n);
      std::inclusive_scan(in.begin(), in.end(), expected.begin());
      jobs::parallel_inclusive_scan(values, values.begin());
      EXPECT_TRUE(values == expected) << n;
      values = in;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0u);
      jobs::parallel_exclusive_scan(values, values.begin(), 0u);
      EXPECT_TRUE(values == expected) << n;
    }
  });
}

// Terms of very different sizes, so that the order of additions affects the sums.
std::vector<double> terms(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] =
        std::ldexp(1.0 + static_cast<double>(i % 97) / 97.0, static_cast<int>(i * 7 % 60) - 30);
  }
  return values;
}

TEST_P(ScanOf, RealNumbersHasTheSameBitsEverywhere) {
  const auto hash = [] {
    std::uint64_t all = 0;
    for (const std::size_t n : {1000u, 5000u, 120'003u}) {
      const auto in = terms(n);
      std::vector<double> out(n);
      jobs::parallel_inclusive_scan(in, out.begin());
      all = all * 31 + jobs::test::hash_of(out);
      jobs::parallel_exclusive_scan(in, out.begin(), 0.1);
      all = all * 31 + jobs::test::hash_of(out);
    }
    return all;
  };
  static const std::uint64_t expected = jobs::test::on_one_worker(hash);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(run(hash), expected);
}

TEST_P(ScanOf, OperationsThatDoNotCommuteKeepsTheOrder) {
  run([] {
    std::deque<std::string> in;
    for (int i = 0; i < 1500; ++i) in.push_back(std::string(1, static_cast<char>('a' + i % 26)));
    std::vector<std::string> out(in.size());
    jobs::parallel_inclusive_scan(in, out.begin(), std::string("> "), std::plus<>());
    std::string expected = "> ";
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], expected += in[i]);
  });
}

TEST_P(ScanOf, ManyStringsKeepsTheOrderThroughSeveralWindows) {
  run([] {
    const std::size_t n = jobs::test::kSanitized ? 40'000 : 200'000;
    std::vector<std::string> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = std::string(1, static_cast<char>('a' + i % 26));
    // The last eight letters: the operation is associative and does not commute.
    const auto last = [](const std::string& a, const std::string& b) {
      const std::string both = a + b;
      return both.size() <= 8 ? both : both.substr(both.size() - 8);
    };
    std::vector<std::string> expected(n);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::string(">"), last);
    jobs::parallel_exclusive_scan(in, in.begin(), std::string(">"), last);
    EXPECT_TRUE(in == expected);
  });
}

TEST_P(ScanOf, LargeValuesNeedLittleStack) {
  run([] {
    struct Large {
      // A sanitizer keeps more values in a frame.
      std::array<std::uint32_t, jobs::test::kSanitized ? 512 : 2048> parts;
      bool operator==(const Large&) const = default;
    };
    const auto add = [](const Large& a, const Large& b) {
      Large sum = a;
      for (std::size_t i = 0; i < sum.parts.size(); ++i) sum.parts[i] += b.parts[i];
      return sum;
    };
    std::vector<Large> values(1100);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i].parts.fill(static_cast<std::uint32_t>(i));
    std::vector<Large> expected(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), add);
    jobs::parallel_inclusive_scan(values, values.begin(), add);
    EXPECT_TRUE(values == expected);
  });
}

TEST_P(ScanOf, BlocksThatTakeLongDelayNoOther) {
  run([] {
    // Meanwhile workers add up the other blocks; later these or other workers scan them. While
    // a fiber adds up a block, no other fiber of its worker may scan that block.
    const std::size_t n = jobs::test::kSanitized ? 200'000 : 1'000'000;
    for (const std::size_t first : {n / 32, std::size_t{0}, n / 64}) {
      std::vector<std::uint32_t> values(n, 3);
      std::array<std::atomic<bool>, 16> slept{};
      const auto map = [&](const std::uint32_t& x) {
        const auto i = static_cast<std::size_t>(&x - values.data());
        const bool is_slow = i % (n / 16) == first && !slept[i / (n / 16)].exchange(true);
        if (is_slow) jobs::this_fiber::sleep_for(std::chrono::milliseconds(2));
        return x;
      };
      jobs::parallel_transform_inclusive_scan(values, values.begin(), std::plus<>(), map);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], 3 * (i + 1)) << i << ", " << first;
    }
  });
}

TEST_P(ScanOf, OperationsMayWait) {
  run([] {
    // Here parts of the scan, and another scan, take turns on a worker, also in the middle of a
    // block.
    const std::size_t n = 30'000;
    const auto scan_slowly = [] {
      std::vector<std::uint32_t> values(n, 1);
      std::atomic<unsigned> calls{0};
      const auto map = [&calls](std::uint32_t x) {
        if (calls.fetch_add(1, std::memory_order_relaxed) % 64 == 0) jobs::yield();
        return x;
      };
      jobs::parallel_transform_exclusive_scan(values, values.begin(), 7u, std::plus<>(), map);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], 7 + i);
    };
    jobs::fork_join(scan_slowly, scan_slowly);
  });
}

TEST_P(ScanOf, CarriesResultsThatCannotBeDefaultConstructed) {
  struct Sum {
    explicit Sum(long v) : value(v) {}
    long value;
  };
  run([] {
    const std::vector<int> in(10'000, 2);
    std::vector<Sum> out(in.size(), Sum(0));
    jobs::parallel_transform_exclusive_scan(
        in, out.begin(), Sum(1), [](Sum a, Sum b) { return Sum(a.value + b.value); },
        [](int x) { return Sum(x); });
    EXPECT_EQ(out[0].value, 1);
    EXPECT_EQ(out.back().value, 1 + 2 * 9999);
  });
}

TEST_P(ScanOf, LetsExceptionsThrough) {
  run([] {
    const std::vector<int> in(100'000, 1);
    std::vector<int> out(in.size());
    for (const std::size_t call : {0u, 1u, 700u, 60'000u, 99'999u}) {
      jobs::test::ThrowAt throw_at(call);
      const auto map = [&](int x) {
        throw_at();
        return x;
      };
      EXPECT_THROW(jobs::parallel_transform_inclusive_scan(in, out.begin(), std::plus<>(), map),
                   std::runtime_error);
    }
  });
}

}  // namespace
