// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop and a sum over all cores. The sum has the same bits for any number of workers, because the
// order of additions depends only on the length of the range.
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <vector>

#include "jobs/jobs.hpp"

int main() {
  std::vector<double> x(1'000'000);
  jobs::parallel_for(0, x.size(), [&](std::size_t i) { x[i] = std::sqrt(i); });
  const double sum =
      jobs::parallel_reduce(0, x.size(), 0.0, std::plus{}, [&](std::size_t i) { return x[i]; });
  std::cout << "the square roots below a million add up to " << sum << '\n';
  return std::abs(sum - 666'666'166.459) < 0.001 ? 0 : 1;
}
