// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches among integers that lie side by side, without a branch for each of them, so that the compiler makes vector code of
// them. For the algorithms that look for something; plain code for one thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Elements that a pointer reaches: integers, as opposed to what only compares like them.
template <class It>
concept Integers = std::is_pointer_v<It> && std::integral<std::iter_value_t<It>>;

// Whether a comparison says no more than <.
template <class Compare>
inline constexpr bool kIsLess = std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>>;

inline constexpr std::ptrdiff_t kSearchedAtOnce = 64;  // fits into every integer type

// Counted in elements of the same width: that is what vector code can do.
template <std::integral T>
bool is_among(const T* first, T value) noexcept {
  T count = 0;
  for (std::ptrdiff_t i = 0; i < kSearchedAtOnce; ++i) count = static_cast<T>(count + (first[i] == value ? 1 : 0));
  return count != 0;
}

// The first that equals `value`, or `last`.
template <std::integral T>
const T* find_value(const T* first, const T* last, T value) noexcept {
  while (last - first >= kSearchedAtOnce && !is_among(first, value)) first += kSearchedAtOnce;
  return std::find(first, last, value);
}

// The last that equals `value`. pre: there is one.
template <std::integral T>
const T* find_last_value(const T* first, const T* last, T value) noexcept {
  while (last - first >= kSearchedAtOnce && !is_among(last - kSearchedAtOnce, value)) last -= kSearchedAtOnce;
  while (*--last != value) {
  }
  return last;
}

// pre of both: not empty. Without std::min and std::max: GCC makes no vector code of references.
template <std::integral T>
T smallest_value(const T* first, const T* last) noexcept {
  T smallest = *first;
  while (++first != last) {
    const T value = *first;
    smallest = value < smallest ? value : smallest;
  }
  return smallest;
}
template <std::integral T>
T largest_value(const T* first, const T* last) noexcept {
  T largest = *first;
  while (++first != last) {
    const T value = *first;
    largest = value > largest ? value : largest;
  }
  return largest;
}

}  // namespace jobs::inline JOBS_ABI::detail
