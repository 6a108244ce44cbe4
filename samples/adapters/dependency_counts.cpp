// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A program with an engine whose jobs have dependency counts: compares its steps on jobs with the
// expected sum.
#include "samples/adapters/dependency_counts.hpp"

#include <cstdint>
#include <iostream>

int main() {
  constexpr int kIslands = 1000;
  adapters::JobSystem system;
  std::int64_t sum = 0;
  for (int i = 0; i < 20; ++i) sum += engine::step(system, kIslands);
  jobs::Counter done;
  jobs::spawn(done, [&] { sum += engine::step(system, kIslands); });
  done.wait();
  std::cout << "the sum of 21 steps is " << sum << '\n';
  return sum == 21 * engine::expected_sum(kIslands) ? 0 : 1;
}
