// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Stable sorts of few elements, in which nearly all comparisons of a sort are made. Elements that
// are cheap to copy go through sorting networks, and merges from both ends, without a branch that
// depends on data. Other elements go through an insertion sort. Internal: sequential; any thread
// may call these functions.
//
// Source: the small sorts of O. Peters and L. Bergdoll, "driftsort" and "ipnsort", 2024. The
// structure is theirs: networks of 4, insertion of the tail, a merge from both ends.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/order.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

inline constexpr std::size_t kSmallSort = 32;  // the maximum for small_sort() of cheap elements
inline constexpr std::size_t kInsertionSort = 16;

template <class T>
inline constexpr std::size_t kSmall = kCheap<T> ? kSmallSort : kInsertionSort;

// Sorts [first, last). O(n^2). If `before` throws, no element is lost.
template <class It, class Before>
void insertion_sort(It first, It last, const Before& before) {
  if (first == last) return;
  for (It next = first + 1; next != last; ++next) {
    if (!before(*next, *(next - 1))) continue;
    auto value = std::move(*next);
    It hole = next;
    JOBS_TRY {
      do {
        *hole = std::move(*(hole - 1));
        --hole;
      } while (hole != first && before(value, *(hole - 1)));
    }
    JOBS_CATCH_ALL {
      *hole = std::move(value);
      JOBS_RETHROW;
    }
    *hole = std::move(value);
  }
}

// Sorts four elements from `in` to `out`.
template <class In, class T, class Before>
JOBS_ALWAYS_INLINE void sort_four(In in, T* out, const Before& before) {
  const bool first_swapped = before(in[1], in[0]);
  const bool second_swapped = before(in[3], in[2]);
  const In a = in + first_swapped;  // a <= b, c <= d
  const In b = in + !first_swapped;
  const In c = in + 2 + second_swapped;
  const In d = in + 2 + !second_swapped;
  const bool c_first = before(*c, *a);
  const bool b_last = before(*d, *b);
  const In low = c_first ? a : (b_last ? c : b);
  const In high = b_last ? d : (c_first ? b : c);
  const bool swapped = before(*high, *low);
  const T least = c_first ? *c : *a;
  const T greatest = b_last ? *b : *d;
  out[0] = least;
  out[1] = swapped ? *high : *low;
  out[2] = swapped ? *low : *high;
  out[3] = greatest;
}

// Merges [in, in + n / 2) and [in + n / 2, in + n) into `out` from both ends: two chains of
// dependent steps that the processor overlaps. Stays inside `in` and `out` for any result of
// `before`.
template <class T, class Out, class Before>
JOBS_ALWAYS_INLINE void merge_halves(const T* in, std::size_t n, Out out, const Before& before) {
  using Distance = std::iter_difference_t<Out>;
  const std::size_t half = n / 2;
  const T* left = in;
  const T* right = in + half;
  const T* left_end = in + half;
  const T* right_end = in + n;
  Out out_end = out + static_cast<Distance>(n);
  for (std::size_t i = 0; i < half; ++i) {
    const bool take_right = before(*right, *left);
    *out = *(take_right ? right : left);
    ++out;
    right += take_right;
    left += !take_right;
    const bool take_left = before(*(right_end - 1), *(left_end - 1));
    --out_end;
    *out_end = *(take_left ? left_end - 1 : right_end - 1);
    left_end -= take_left;
    right_end -= !take_left;
  }
  if (n % 2 != 0) *out = *(left < left_end ? left : right);
}

// Sorts the `n` elements at `first` by means of `scratch`, which has room for 2 * kSmallSort
// elements. pre: kCheap, n <= kSmallSort.
template <class It, class T, class Before>
void sort_by_networks(It first, std::size_t n, T* scratch, const Before& before) {
  using Distance = std::iter_difference_t<It>;
  const std::size_t half = n / 2;
  // Each half separately: a network sorts the first `sorted` elements, insertion the other ones.
  std::size_t sorted;
  if (half >= 8) {
    T* const fours = scratch + kSmallSort;
    for (const std::size_t begin : {std::size_t{0}, half}) {
      sort_four(first + static_cast<Distance>(begin), fours, before);
      sort_four(first + static_cast<Distance>(begin) + 4, fours + 4, before);
      merge_halves(fours, 8, scratch + begin, before);
    }
    sorted = 8;
  } else {
    sort_four(first, scratch, before);
    sort_four(first + static_cast<Distance>(half), scratch + half, before);
    sorted = 4;
  }
  for (const std::size_t begin : {std::size_t{0}, half}) {
    const std::size_t size = begin == 0 ? half : n - half;
    T* const part = scratch + begin;
    for (std::size_t i = sorted; i < size; ++i) {
      const T value = first[static_cast<Distance>(begin + i)];
      std::size_t hole = i;
      for (; hole > 0 && before(value, part[hole - 1]); --hole) part[hole] = part[hole - 1];
      part[hole] = value;
    }
  }
  JOBS_TRY { merge_halves(scratch, n, first, before); }
  JOBS_CATCH_ALL {
    for (std::size_t i = 0; i < n; ++i) first[static_cast<Distance>(i)] = scratch[i];
    JOBS_RETHROW;
  }
}

// Sorts [first, last); stable. pre: last - first <= kSmall. If `before` throws, no element is lost.
template <class It, class Before>
void small_sort(It first, It last, const Before& before) {
  using T = std::iter_value_t<It>;
  if constexpr (kCheap<T>) {
    const auto n = static_cast<std::size_t>(last - first);
    if (n >= 8) {
      alignas(T) std::byte storage[2 * kSmallSort * sizeof(T)];
      sort_by_networks(first, n, reinterpret_cast<T*>(storage), before);
      return;
    }
  }
  insertion_sort(first, last, before);
}

}  // namespace jobs::inline JOBS_ABI::detail
