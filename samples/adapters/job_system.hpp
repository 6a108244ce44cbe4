// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A stub of an engine whose jobs have dependency counts, as those of Jolt Physics. The engine
// declares the interface of a job system; the program implements it (dependency_counts.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace engine {

// A job. It starts when `remove_dependency` was called as often as it has dependencies.
class Job {
 public:
  virtual ~Job() = default;
  virtual void add_dependency(unsigned count) = 0;
  virtual void remove_dependency(unsigned count) = 0;
  virtual bool is_done() const = 0;
};
using JobHandle = std::shared_ptr<Job>;

// Jobs to wait for. Running jobs may add more jobs.
class Barrier {
 public:
  virtual ~Barrier() = default;
  virtual void add(JobHandle job) = 0;
  virtual void wait() = 0;
};

class JobSystem {
 public:
  virtual ~JobSystem() = default;
  virtual unsigned max_concurrency() const = 0;
  virtual JobHandle create(std::function<void()> function, unsigned dependencies) = 0;
  virtual std::unique_ptr<Barrier> make_barrier() = 0;
};

// The step of an engine: islands are found, each island is solved by as many rounds as it needs,
// and a last job sums up.
inline std::int64_t step(JobSystem& system, int islands) {
  std::vector<std::int64_t> solved(static_cast<std::size_t>(islands));
  std::int64_t sum = 0;
  const std::unique_ptr<Barrier> barrier = system.make_barrier();
  const JobHandle sum_up = system.create(
      [&] {
        for (const std::int64_t island : solved) sum += island;
      },
      1);
  barrier->add(sum_up);
  const JobHandle find = system.create(
      [&] {
        for (int island = 0; island < islands; ++island) {
          sum_up->add_dependency(1);
          JobHandle previous = sum_up;
          for (int round = island % 5; round >= 0; --round) {
            std::function<void()> solve = [&solved, island, next = std::move(previous)] {
              auto& value = solved[static_cast<std::size_t>(island)];
              value = 3 * value + island;
              next->remove_dependency(1);
            };
            previous = system.create(std::move(solve), 1);
            barrier->add(previous);
          }
          previous->remove_dependency(1);
        }
        sum_up->remove_dependency(1);
      },
      0);
  barrier->add(find);
  barrier->wait();
  return sum;
}

// The result of step(), computed serially.
inline std::int64_t expected_sum(int islands) {
  std::int64_t sum = 0;
  for (int island = 0; island < islands; ++island) {
    std::int64_t value = 0;
    for (int round = island % 5; round >= 0; --round) value = 3 * value + island;
    sum += value;
  }
  return sum;
}

}  // namespace engine
