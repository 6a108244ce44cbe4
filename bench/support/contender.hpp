// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Contender: one side of a comparison, as a plain function. It sets its runtime up, warms up, measures the workload once,
// checks the result, and takes the runtime down again. So two sides never exist at the same time, every round samples a fresh
// placement of stacks and queues, and the same function serves the comparing program and the one for looking at one side.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct Conditions {
  unsigned workers;  // threads that run jobs or tasks, the measuring thread among them
  bool quick;        // smaller pictures, less idling; every other workload has one size
};

// What one round found, per operation and in the units of the workload; most workloads have one figure, a time.
using Figures = std::vector<double>;

// Throws WrongResult.
using Contender = Figures (*)(const Conditions&);

class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
void expect_equal(const T& expected, const T& found) {
  if (expected == found) return;
  throw WrongResult("expected " + std::to_string(expected) + ", found " + std::to_string(found));
}

}  // namespace bench
