// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_sort: sorts in place; equal elements may change places.
//
//   jobs::parallel_sort(values);
//   jobs::parallel_sort(meshes, std::greater{}, &Mesh::triangles);
//
// Any thread may call it, as parallel_for. The order that results is the same for any number of workers, of equal elements too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/both.hpp"
#include "jobs/algorithm/divide.hpp"
#include "jobs/algorithm/small_sort.hpp"
#include "jobs/algorithm/wrong_call.hpp"
#include "jobs/runtime/guest.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

template <class It, class Before>
It median_of_three(It a, It b, It c, const Before& before) {
  const bool ab = before(*a, *b);
  if (ab != before(*a, *c)) return a;
  return ab == before(*b, *c) ? b : c;
}

// An element near the median of [first, first + n): medians of three of medians of three, of O(n^0.53) elements. pre: n >= 8.
template <class It, class Before>
It choose_pivot(It first, std::size_t n, const Before& before) {
  using Distance = std::iter_difference_t<It>;
  const auto eighth = static_cast<Distance>(n / 8);
  It a = first;
  It b = first + eighth * 4;
  It c = first + eighth * 7;
  if (n >= 128) {
    a = choose_pivot(a, n / 8, before);
    b = choose_pivot(b, n / 8, before);
    c = choose_pivot(c, n / 8, before);
  }
  return median_of_three(a, b, c, before);
}

template <class It, class Before>
class Quicksort {
  using T = std::iter_value_t<It>;
  using Distance = std::iter_difference_t<It>;

 public:
  explicit Quicksort(const Before& before) : before_(before) {}

  void run(Lane& lane, It first, It last) const {
    const auto n = static_cast<std::size_t>(last - first);
    if (n < 2 || is_done_at_once(first, last)) return;
    sort(&lane, first, last, nullptr, 2 * static_cast<int>(std::bit_width(n)));
  }

 private:
  static constexpr std::size_t kForkFrom = 4096;  // shorter parts take less than it costs to have them stolen

  // One run, up or down; looks no further than to the first element out of order.
  bool is_done_at_once(It first, It last) const {
    It next = first + 1;
    if (before_(*next, *first)) {
      while (next != last && before_(*next, *(next - 1))) ++next;
      if (next != last) return false;
      std::reverse(first, last);
      return true;
    }
    while (next != last && !before_(*next, *(next - 1))) ++next;
    return next == last;
  }

  // `least`: an element that is not after any of these, if one is known. `patience`: how many bad pivots are tolerated. `lane` is
  // null where forks do not pay any more.
  void sort(Lane* lane, It first, It last, const T* least, int patience) const {
    while (true) {
      const auto n = static_cast<std::size_t>(last - first);
      if (n <= kSmall<T>) return small_sort(first, last, before_);
      if (patience-- == 0) {
        std::make_heap(first, last, before_);
        return std::sort_heap(first, last, before_);
      }
      if (n < kForkFrom) lane = nullptr;
      std::iter_swap(first, choose_pivot(first, n, before_));
      if (least != nullptr && !before_(*least, *first)) {
        // The pivot equals the least element: all that equal it go to the left and are done. So few different keys cost
        // O(n log(keys)).
        first = divide_by(lane, first, last, [this](const T& pivot, const T& x) { return !before_(pivot, x); });
        least = nullptr;
        continue;
      }
      const It pivot = divide_by(lane, first, last, [this](const T& p, const T& x) { return before_(x, p); }) - 1;
      std::iter_swap(first, pivot);
      const It right = pivot + 1;
      const T* const right_least = std::addressof(*pivot);
      if (lane != nullptr) {
        run_both(
            *lane, [&](Lane& here) { sort(&here, first, pivot, least, patience); },
            [&](Lane& there) { sort(&there, right, last, right_least, patience); });
        return;
      }
      sort(nullptr, first, pivot, least, patience);
      first = right;
      least = right_least;
    }
  }

  // Divides all but *first, by their relation to it; returns the end of the first part.
  template <class Relation>
  It divide_by(Lane* lane, It first, It last, const Relation& relation) const {
    const auto divide_with = [&](const T& pivot) {
      const auto holds = [&](const T& x) { return relation(pivot, x); };
      return lane == nullptr ? divide_alone(first + 1, last, holds) : divide(*lane, first + 1, last, holds);
    };
    if constexpr (kCheap<T>) {
      return divide_with(T(*first));  // a copy, so that no store to an element can change it
    } else {
      return divide_with(*first);
    }
  }

  const Before& before_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Sorts [first, last) by `compare`, a strict weak order, of `projection` of the elements. In place: no allocation, O(log n) stack.
// O(n log n) comparisons, at most 2 log2(n) levels of quicksort before it turns to heapsort; O(n) if sorted already, either way
// round; O(n log k) for k different keys. `compare` and `projection` are called at the same time by several workers. If they
// throw, the exception is rethrown when all parts have ended, and the elements are in some order, none lost. If moving an element
// throws, elements may be lost. With an inconsistent `compare` the order is any; nothing outside the range is touched.
//
// Source: quicksort (see divide.hpp) with pivots and equal keys as in O. Peters, "Pattern-defeating quicksort", arXiv 2106.05123,
// and its limit as in D. Musser, "Introspective sorting and selection algorithms", SP&E 27(8), 1997.
template <std::random_access_iterator I, std::sentinel_for<I> S, class Compare = std::ranges::less,
          class Projection = std::identity>
requires std::sortable<I, Compare, Projection>
void parallel_sort(I first, S last, Compare compare = {}, Projection projection = {}) {
  const auto n = std::ranges::distance(first, last);
  if (n < 2) return;
  const auto begin = detail::unwrap(first);
  const detail::Before<Compare, Projection> before{compare, projection};
  const detail::Quicksort<std::remove_const_t<decltype(begin)>, decltype(before)> quicksort(before);
  detail::with_lane([&](detail::Lane& lane) { quicksort.run(lane, begin, begin + n); });
}

template <std::ranges::random_access_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void parallel_sort(R&& range, Compare compare = {}, Projection projection = {}) {
  parallel_sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare), std::move(projection));
}

// Wrong calls.
JOBS_REFUSE_OTHER_RANGES(parallel_sort)
JOBS_REFUSE_OTHER_ORDERS(parallel_sort)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
