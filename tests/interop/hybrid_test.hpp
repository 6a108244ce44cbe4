// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What a file with jobs::tbb and a file with oneTBB alone share in hybrid_test.
#pragma once

#include <tbb/concurrent_map.h>
#include <tbb/concurrent_vector.h>

#include <cstddef>
#include <typeinfo>
#include <vector>

// The sizes of classes of oneTBB that contain classes with moved names, and the identities of their
// ranges. Each file has its own function.
template <class Vector, class Map>
static std::vector<std::size_t> layout() {
  return {sizeof(Vector), sizeof(Map), typeid(typename Vector::range_type).hash_code(),
          typeid(typename Map::range_type).hash_code()};
}
// The layout in the file without jobs::tbb.
std::vector<std::size_t> plain_layout();
// Adds 100 values, from 1000 on.
void fill_plain(tbb::concurrent_vector<int>& vector, tbb::concurrent_map<int, int>& map);
// Counts the elements by a loop of oneTBB.
int plain_loop(tbb::concurrent_vector<int>& vector);
