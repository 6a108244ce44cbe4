// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches in contiguous integers without a branch per element, so that the compiler generates
// vector instructions. Internal: sequential functions for the algorithms that search; any thread
// may call them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Iterators that are pointers to integers, as opposed to types that only compare like integers.
template <class It>
concept Integers = std::is_pointer_v<It> && std::integral<std::iter_value_t<It>>;

// True for comparisons that are plain <.
template <class Compare>
inline constexpr bool kIsLess =
    std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>>;

// The count of matches fits into every integer type.
inline constexpr std::ptrdiff_t kSearchedAtOnce = 64;

// Returns true if one of the kSearchedAtOnce elements at `first` equals `value`. Counts in elements
// of the same width, because vector instructions need it.
template <std::integral T>
bool is_among(const T* first, T value) noexcept {
  T count = 0;
  for (std::ptrdiff_t i = 0; i < kSearchedAtOnce; ++i)
    count = static_cast<T>(count + (first[i] == value ? 1 : 0));
  return count != 0;
}

// Returns the first element that equals `value`, or `last`.
template <std::integral T>
const T* find_value(const T* first, const T* last, T value) noexcept {
  while (last - first >= kSearchedAtOnce && !is_among(first, value)) first += kSearchedAtOnce;
  return std::find(first, last, value);
}

// Returns the last element that equals `value`. pre: there is one.
template <std::integral T>
const T* find_last_value(const T* first, const T* last, T value) noexcept {
  while (last - first >= kSearchedAtOnce && !is_among(last - kSearchedAtOnce, value))
    last -= kSearchedAtOnce;
  while (*--last != value) {
  }
  return last;
}

// Return the extreme of [first, last). pre of both: first != last. They avoid std::min() and
// std::max(), because GCC does not vectorise references.
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
