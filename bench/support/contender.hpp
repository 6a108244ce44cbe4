// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Contender: one side of a comparison, as a function. It starts its runtime, warms up, measures the
// workload once, checks the result, and stops the runtime. Two sides therefore never exist at the
// same time, and every round has a fresh placement of stacks and queues. bench_compare and
// bench_single use the same function.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

// How the measuring thread reaches the workers of jobs. The peers have one form only.
enum class Form : std::uint8_t {
  // The thread is worker 0 of a scheduler of its own (SchedulerOptions::bind_caller).
  kBound,
  // The thread calls free functions, as `main` does in the README. They use the default scheduler.
  kExternal,
  // The thread passes the work to a scheduler of its own by Scheduler::run() and waits.
  kNamed,
};

struct Conditions {
  // Threads that run jobs or tasks, the measuring thread included.
  unsigned workers;
  // Smaller pictures and shorter idle times; all other workloads have one size.
  bool quick;
  Form form = Form::kBound;
};

// The figures of one round, per operation and in the units of the workload. Most workloads have one
// figure, a time.
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
