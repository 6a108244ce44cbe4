// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of hybrid_test that is compiled with oneTBB alone.
#include <tbb/parallel_for.h>

#include <atomic>

#include "tests/interop/hybrid_test.hpp"

std::vector<std::size_t> plain_layout() {
  return layout<tbb::concurrent_vector<int>, tbb::concurrent_map<int, int>>();
}

void fill_plain(tbb::concurrent_vector<int>& vector, tbb::concurrent_map<int, int>& map) {
  tbb::parallel_for(1000, 1100, [&](int i) {
    vector.push_back(i);
    map.emplace(i, i);
  });
}

int plain_loop(tbb::concurrent_vector<int>& vector) {
  std::atomic<int> count{0};
  tbb::parallel_for(vector.range(), [&](const auto& part) {
    count += static_cast<int>(part.end() - part.begin());
  });
  return count;
}
