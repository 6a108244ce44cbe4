// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_sort(): sorts a range in place; equal elements may change their order.
//
//   jobs::parallel_sort(values);
//   jobs::parallel_sort(meshes, std::greater{}, &Mesh::triangles);
//
// Any thread may call it. The resulting order, also of equal elements, is the same for any number
// of workers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/both.hpp"
#include "jobs/algorithm/core/divide.hpp"
#include "jobs/algorithm/core/small_sort.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Returns the iterator to the median of three elements.
template <class It, class Before>
It median_of_three(It a, It b, It c, const Before& before) {
  const bool ab = before(*a, *b);
  if (ab != before(*a, *c)) return a;
  return ab == before(*b, *c) ? b : c;
}

// Returns an element near the median of [first, first + n): the median of three medians of three,
// recursively, over O(n^0.53) elements. pre: n >= 8.
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

// One call of parallel_sort(). Several workers call its const functions concurrently.
template <class It, class Before>
class Quicksort {
  using T = std::iter_value_t<It>;
  using Distance = std::iter_difference_t<It>;

 public:
  explicit Quicksort(const Before& before) : before_(before) {}

  void run(WorkerContext& context, It first, It last) const {
    const auto n = static_cast<std::size_t>(last - first);
    if (n < 2 || is_done_at_once(first, last)) return;
    sort(&context, first, last, nullptr, 2 * static_cast<int>(std::bit_width(n)));
  }

 private:
  // Shorter parts take less time than a theft of them costs.
  static constexpr std::size_t kForkFrom = 4096;

  // Returns true if the range is one ascending or descending run, and sorts it then. Stops at the
  // first element out of order.
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

  // Sorts [first, last).
  // - `least`: null, or an element that comes after no element of the range.
  // - `depth_limit`: the number of further levels of quicksort before heapsort takes over.
  // - `context`: null for parts that are too short to fork.
  void sort(WorkerContext* context, It first, It last, const T* least, int depth_limit) const {
    while (true) {
      const auto n = static_cast<std::size_t>(last - first);
      if (n <= kSmall<T>) return small_sort(first, last, before_);
      if (depth_limit-- == 0) {
        std::make_heap(first, last, before_);
        return std::sort_heap(first, last, before_);
      }
      if (n < kForkFrom) context = nullptr;
      std::iter_swap(first, choose_pivot(first, n, before_));
      if (least != nullptr && !before_(*least, *first)) {
        // The pivot equals the least element: all equal elements go to the left and are done. A
        // range with few different keys therefore costs O(n log(keys)).
        first = divide_by(context, first, last,
                          [this](const T& pivot, const T& x) { return !before_(pivot, x); });
        least = nullptr;
        continue;
      }
      const It pivot = divide_by(context, first, last,
                                 [this](const T& p, const T& x) { return before_(x, p); }) -
                       1;
      std::iter_swap(first, pivot);
      const It right = pivot + 1;
      const T* const right_least = std::addressof(*pivot);
      if (context != nullptr) {
        run_both(
            *context, [&](WorkerContext& here) { sort(&here, first, pivot, least, depth_limit); },
            [&](WorkerContext& there) { sort(&there, right, last, right_least, depth_limit); });
        return;
      }
      sort(nullptr, first, pivot, least, depth_limit);
      first = right;
      least = right_least;
    }
  }

  // Divides (first, last) by the relation of the elements to *first. Returns the end of the first
  // part.
  template <class Relation>
  It divide_by(WorkerContext* context, It first, It last, const Relation& relation) const {
    const auto divide_with = [&](const T& pivot) {
      const auto holds = [&](const T& x) { return relation(pivot, x); };
      return context == nullptr ? divide_alone(first + 1, last, holds)
                                : divide(*context, first + 1, last, holds);
    };
    if constexpr (kCheap<T>) {
      // A copy, because no store to an element can change it.
      return divide_with(T(*first));
    } else {
      return divide_with(*first);
    }
  }

  const Before& before_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Sorts [first, last) in place; equal elements may change their order.
///
/// The result is the same for any number of workers, also the order of equal elements. Several
/// workers call `compare` and `projection` concurrently. If one of them throws, the range holds all
/// of its elements in some order. If a move of an element throws, elements may be lost. With an
/// inconsistent `compare` the order is unspecified, and nothing outside the range is accessed.
///
/// @snippet algorithms.cpp sort
///
/// Source: quicksort (divide.hpp). Pivots and the treatment of equal keys follow O. Peters,
/// "Pattern-defeating quicksort", arXiv 2106.05123. The limit of the depth follows D. Musser,
/// "Introspective sorting and selection algorithms", SP&E 27(8), 1997.
///
/// @tparam I  random access iterator
/// @tparam S  sentinel for I
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param first  begin of the range
/// @param last  end of the range
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element; a pointer to a member, too
/// @throws the exception of the lowest part that threw, after all parts have ended
/// @complexity O(n log n) comparisons: heapsort takes over after 2 log2(n) levels. O(n) if the
///   range is sorted in either direction; O(n log k) for k different keys. In place: no allocation,
///   O(log n) stack
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::random_access_iterator I, std::sentinel_for<I> S, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::sortable<I, Compare, Projection>
void parallel_sort(I first, S last, Compare compare = {}, Projection projection = {}) {
  const auto n = std::ranges::distance(first, last);
  if (n < 2) return;
  const auto begin = detail::unwrap(first);
  const detail::Before<Compare, Projection> before{compare, projection};
  const detail::Quicksort<std::remove_const_t<decltype(begin)>, decltype(before)> quicksort(before);
  detail::with_context(
      [&](detail::WorkerContext& context) { quicksort.run(context, begin, begin + n); });
}

/// Sorts a range in place; equal elements may change their order.
///
/// The same as `parallel_sort(begin, end, compare, projection)`.
///
/// @tparam R  random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to sort
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element; a pointer to a member, too
/// @throws the exception of the lowest part that threw, after all parts have ended
/// @complexity O(n log n) comparisons, no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void parallel_sort(R&& range, Compare compare = {}, Projection projection = {}) {
  parallel_sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare),
                std::move(projection));
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_CALLS(
    parallel_sort,
    "the range must have random access, and elements that can be moved: (range, compare) or "
    "(first, last, compare)")
JOBS_REFUSE_OTHER_ORDERS(parallel_sort)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
