// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Passes if the oracle finds an error in the linked wheel.
#include <cstdio>

#include "tests/runtime/timers_oracle.hpp"

int main() {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::string problem = jobs::test::compare_timers_with_oracle(seed, 5'000);
    if (problem.empty() && seed <= 3) problem = jobs::test::check_length_of_looks(seed, 2'000);
    if (problem.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), problem.c_str());
    return 0;
  }
  std::puts("this mutant survived");
  return 1;
}
