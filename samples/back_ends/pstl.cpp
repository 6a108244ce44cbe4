// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The parallel algorithms of the standard library on the workers of jobs. docs/back-ends.md shows
// parts of it.
#include "jobs/interop/pstl.hpp"  // before <execution>

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
  std::vector<std::uint32_t> values(1'000'000);
  std::iota(values.begin(), values.end(), 0U);
  std::for_each(std::execution::par, values.begin(), values.end(),
                [](std::uint32_t& x) { x = x * 2'654'435'761U >> 8; });
  std::sort(std::execution::par, values.begin(), values.end());
  const auto sum =
      std::transform_reduce(std::execution::par, values.begin(), values.end(), std::uint64_t{0},
                            std::plus<>(), [](std::uint32_t x) { return std::uint64_t{x}; });
  std::cout << "the median is " << values[values.size() / 2] << ", the sum " << sum << '\n';
  const auto serial = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  return std::is_sorted(values.begin(), values.end()) && sum == serial ? 0 : 1;
}
