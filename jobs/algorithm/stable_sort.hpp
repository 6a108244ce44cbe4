// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_stable_sort(): sorts a range and keeps the order of equal elements. Allocates memory for
// as many elements again.
//
//   jobs::parallel_stable_sort(rows, {}, &Row::date);
//
// Any thread may call it.
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/core/both.hpp"
#include "jobs/algorithm/core/small_sort.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/algorithm/merge.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Memory for n objects of type T. The destructor destroys the objects if set_filled() was called.
template <class T>
class SortBuffer {
 public:
  explicit SortBuffer(std::size_t n) : n_(n), memory_(HeapAllocator<T>().allocate(n)) {}
  ~SortBuffer() {
    if (is_filled_) std::destroy_n(memory_, n_);
    HeapAllocator<T>().deallocate(memory_, n_);
  }
  SortBuffer(const SortBuffer&) = delete;
  SortBuffer& operator=(const SortBuffer&) = delete;

  T* begin() const noexcept { return memory_; }
  void set_filled() noexcept { is_filled_ = true; }

 private:
  std::size_t n_;
  T* memory_;
  bool is_filled_ = false;
};

// Sorts the smallest parts of a MergeSort. Another class sorts them by functions of another
// library.
struct SmallSort {
  // The maximum of elements in a part.
  template <class T>
  static constexpr std::size_t kMost = kSmall<T>;

  template <class It, class Before>
  void operator()(It first, It last, const Before& before) const {
    small_sort(first, last, before);
  }
};

// One call of parallel_stable_sort(): a merge sort that alternates between the range and a buffer
// of equal size. Parts of level 0 are sorted by `leaf`. Each part of level k is merged from two
// parts of level k - 1. The whole range is the only part of the last level. All parts of one level
// are in the same place: in the range or in the buffer.
template <class It, class Before, class Leaf = SmallSort>
class MergeSort {
  using T = std::iter_value_t<It>;

 public:
  MergeSort(It first, std::size_t n, const Before& before, const Leaf& leaf = {})
      : first_(first), n_(n), before_(before), leaf_(leaf) {
    for (std::size_t part = n; part > Leaf::template kMost<T>; part = (part + 1) / 2) ++levels_;
  }

  void run(WorkerContext& context) {
    if (levels_ == 0) return leaf_(first_, first_ + static_cast<Distance>(n_), before_);
    SortBuffer<T> buffer(n_);
    buffer_ = buffer.begin();
    // The constructions below fill it; they do not fail.
    buffer.set_filled();
    sort(context, 0, n_, levels_);
  }

 private:
  using Distance = std::iter_difference_t<It>;
  static constexpr std::size_t kForkFrom = 4096;

  // True if the parts of this level are produced in the buffer. The last level is produced in the
  // range.
  bool is_in_buffer(int level) const noexcept { return (levels_ - level) % 2 != 0; }

  // Sorts [begin, begin + n) into the place of this level. If `before_` throws, all elements are in
  // that place, in some order.
  void sort(WorkerContext& context, std::size_t begin, std::size_t n, int level) {
    if (level == 0) return sort_part(begin, n);
    const std::size_t half = n / 2;
    const auto lower = [&](WorkerContext& here) { sort(here, begin, half, level - 1); };
    const auto upper = [&](WorkerContext& there) {
      sort(there, begin + half, n - half, level - 1);
    };
    JOBS_TRY {
      if (n < kForkFrom) {
        run_in_turn([&] { lower(context); }, [&] { upper(context); });
      } else {
        run_both(context, lower, upper);
      }
    }
    JOBS_CATCH_ALL {
      merge_parts(context, begin, half, n, level, [](const T&, const T&) { return false; });
      JOBS_RETHROW;
    }
    merge_parts(context, begin, half, n, level, before_);
  }

  void sort_part(std::size_t begin, std::size_t n) {
    const It first = first_ + static_cast<Distance>(begin);
    const It last = first + static_cast<Distance>(n);
    JOBS_TRY { leaf_(first, last, before_); }
    JOBS_CATCH_ALL {
      to_buffer(first, last, begin);
      JOBS_RETHROW;
    }
    to_buffer(first, last, begin);
  }
  void to_buffer(It first, It last, std::size_t begin) noexcept {
    if (is_in_buffer(0)) std::uninitialized_move(first, last, buffer_ + begin);
  }

  template <class Order>
  void merge_parts(WorkerContext& context, std::size_t begin, std::size_t half, std::size_t n,
                   int level, const Order& order) {
    const It range = first_ + static_cast<Distance>(begin);
    T* const buffer = buffer_ + begin;
    if (!is_in_buffer(level)) {
      merge_together(context, buffer, buffer + half, buffer + half, buffer + n, range, MoveTo(),
                     order);
    } else if (level == 1 && !kCheap<T>) {
      merge_together(context, range, at(range, half), at(range, half), at(range, n), buffer,
                     ConstructAt(), order);
    } else {
      merge_together(context, range, at(range, half), at(range, half), at(range, n), buffer,
                     MoveTo(), order);
    }
  }
  static It at(It range, std::size_t offset) { return range + static_cast<Distance>(offset); }

  const It first_;
  const std::size_t n_;
  const Before& before_;
  [[no_unique_address]] const Leaf leaf_;
  int levels_ = 0;
  T* buffer_ = nullptr;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Sorts [first, last); equal elements keep their order.
///
/// The result is therefore unique. Several workers call `compare` and `projection` concurrently. If
/// one of them throws, the range holds all of its elements in some order. A move of an element that
/// throws calls std::terminate().
///
/// @snippet algorithms.cpp stable_sort
///
/// Source: top-down merge sort between two places; merges are split by merge path (merge.hpp).
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
/// @throws std::bad_alloc if there is no memory for n elements; the range is unchanged then
/// @complexity O(n log n), at most n log2(n) comparisons; memory for n elements
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::random_access_iterator I, std::sentinel_for<I> S, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::sortable<I, Compare, Projection>
void parallel_stable_sort(I first, S last, Compare compare = {}, Projection projection = {}) {
  const auto n = std::ranges::distance(first, last);
  if (n < 2) return;
  const auto begin = detail::unwrap(first);
  const detail::Before<Compare, Projection> before{compare, projection};
  detail::with_context([&](detail::WorkerContext& context) {
    detail::MergeSort<std::remove_const_t<decltype(begin)>, decltype(before)>(
        begin, static_cast<std::size_t>(n), before)
        .run(context);
  });
}

/// Sorts a range; equal elements keep their order.
///
/// The same as `parallel_stable_sort(begin, end, compare, projection)`.
///
/// @tparam R  random access range
/// @tparam Compare  strict weak order of projected elements
/// @tparam Projection  function from an element to its key
/// @param range  elements to sort
/// @param compare  returns true if its first argument comes before its second one
/// @param projection  returns the key of an element; a pointer to a member, too
/// @throws the exception of the lowest part that threw, after all parts have ended
/// @throws std::bad_alloc if there is no memory for n elements; the range is unchanged then
/// @complexity O(n log n), at most n log2(n) comparisons; memory for n elements
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
  requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
void parallel_stable_sort(R&& range, Compare compare = {}, Projection projection = {}) {
  parallel_stable_sort(std::ranges::begin(range), std::ranges::end(range), std::move(compare),
                       std::move(projection));
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_CALLS(
    parallel_stable_sort,
    "the range must have random access, and elements that can be moved: (range, compare) or "
    "(first, last, compare)")
JOBS_REFUSE_OTHER_ORDERS(parallel_stable_sort)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
