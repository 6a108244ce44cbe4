// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_by(): a stable sort by a key. std::stable_sort() gets its buffer from a function that C++17
// deprecates, so clang++ warns about each of its uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Sorts the items by key(item); items with equal keys keep their order. Throws std::bad_alloc.
template <class T, class Key>
void sort_by(std::vector<T>& items, Key&& key) {
  std::vector<std::pair<decltype(key(items[0])), std::size_t>> order;
  order.reserve(items.size());
  for (const T& item : items) order.emplace_back(key(item), order.size());
  std::sort(order.begin(), order.end());
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const auto& [unused, index] : order) sorted.push_back(std::move(items[index]));
  items = std::move(sorted);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
