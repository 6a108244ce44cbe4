// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: memory of the workers, memory nodes.
// The headers show the marked parts.
#include <iostream>
#include <memory_resource>
#include <span>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

//! [memory_resource]
int count_hits(int n) {
  std::pmr::vector<int> hits(
      jobs::memory_resource());  // small blocks: no lock, no atomic operation
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0) hits.push_back(i);
  }
  return static_cast<int>(hits.size());
}
//! [memory_resource]

//! [numa]
double fill(std::size_t n) {
  // Pages in turn on all nodes: for data that all workers read everywhere.
  const jobs::numa_vector<float> table(n, 1.0F);

  // Pages on the node of the worker that writes them first, and continues to use them.
  jobs::first_touch_vector<float> grid(n);  // not written yet
  jobs::AffinityPartition partition;
  for (int step = 0; step < 10; ++step) {
    jobs::parallel_for(std::size_t{0}, n, [&](std::size_t i) { grid[i] = table[i]; }, partition);
  }
  std::cout << jobs::page_placement(std::span(grid)).absent << " pages were not written\n";
  return jobs::parallel_reduce(grid, 0.0);
}
//! [numa]

}  // namespace

int main() { return count_hits(30) == 10 && fill(100'000) == 100'000 ? 0 : 1; }
