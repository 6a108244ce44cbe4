// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of pstl.hpp: sorts and merges for the parallel algorithms of libstdc++. Any thread may call
// them.
//
// libstdc++ supplies the function that sorts or merges a part. It must be called exactly once for
// each part before anything else touches the elements: partial_sort_copy() constructs the elements
// in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/merge.hpp"
#include "jobs/algorithm/stable_sort.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/interop/pstl_loops.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"

namespace jobs::inline JOBS_ABI::interop::pstl {

/// @cond internal
template <class It>
auto pointer_to(It it) {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

// The parts of detail::MergeSort, sorted by libstdc++. `Place` is It, or a pointer instead of it.
// An exception of the comparison ends the program, as the standard demands.
template <class It, class Place, class Compare, class LeafSort>
struct SortLeaf {
  template <class T>
  static constexpr std::size_t kMost = 512;

  template <class Before>
  void operator()(Place begin, Place end, const Before&) const noexcept {
    sort(range + (begin - place), range + (end - place), compare);
  }

  It range;
  Place place;
  Compare& compare;
  const LeafSort& sort;
};

// Sorts the `head` smallest elements of a range to its front, for partial_sort(). The elements
// behind them are in some order. One object per call.
//
// The range is halved down to parts that libstdc++ sorts. Then the heads of two neighbouring parts
// are merged into the buffer and moved back: as many elements as the left head has to its place,
// and the other ones to the place of the right head. If the left part is shorter than `head`, both
// places are adjacent.
template <class Place, class Before, class Leaf>
class HeadSort {
  using T = std::iter_value_t<Place>;

 public:
  HeadSort(Place range, std::size_t head, T* buffer, const Before& before, const Leaf& leaf)
      : range_(range), head_(head), buffer_(buffer), before_(before), leaf_(leaf) {}

  void sort(std::size_t begin, std::size_t end) {
    if (end - begin <= Leaf::template kMost<T>) return leaf_(at(begin), at(end), before_);
    const std::size_t middle = begin + (end - begin) / 2;
    jobs::fork_join([&] { sort(begin, middle); }, [&] { sort(middle, end); });
    merge_heads(begin, middle, end);
  }

 private:
  Place at(std::size_t i) const { return range_ + static_cast<std::iter_difference_t<Place>>(i); }

  void merge_heads(std::size_t begin, std::size_t middle, std::size_t end) {
    const std::size_t left = std::min(head_, middle - begin);
    const std::size_t right = std::min(head_, end - middle);
    T* const merged = buffer_ + begin;
    detail::with_context([&](detail::WorkerContext& context) {
      detail::merge_together(context, at(begin), at(begin + left), at(middle), at(middle + right),
                             merged, detail::ConstructAt(), before_);
    });
    std::move(merged, merged + left, at(begin));
    std::move(merged + left, merged + left + right, at(middle));
    std::destroy_n(merged, left + right);
  }

  const Place range_;
  const std::size_t head_;
  T* const buffer_;
  const Before& before_;
  const Leaf& leaf_;
};

// Sorts [first, last), stably if `sort` is stable. If `head` is neither 0 nor the size, sorts the
// `head` smallest elements to the front.
template <class It, class Compare, class LeafSort>
void stable_sort(It first, It last, Compare compare, const LeafSort& sort, std::size_t head) {
  const auto n = static_cast<std::size_t>(last - first);
  // Elements that have no address are sorted by one thread: two of them may share a word.
  if constexpr (!std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    sort(first, last, compare);
  } else {
    if (n < 2) return sort(first, last, compare);
    using Place = std::remove_const_t<decltype(pointer_to(first))>;
    const Place place = pointer_to(first);
    const auto before = [&compare](const auto& a, const auto& b) noexcept -> bool {
      return compare(a, b);
    };
    const SortLeaf<It, Place, Compare, LeafSort> leaf{first, place, compare, sort};
    if (head != 0 && head < n) {
      const Buffer<std::iter_value_t<It>> buffer(n);
      HeadSort(place, head, buffer.get(), before, leaf).sort(0, n);
    } else {
      detail::with_context([&](detail::WorkerContext& context) {
        detail::MergeSort<Place, decltype(before), decltype(leaf)>(place, n, before, leaf)
            .run(context);
      });
    }
  }
}

// Merges a and b into `out`. merge_part(a, a_end, b, b_end, out, compare) merges a part.
template <class A, class B, class Out, class Compare, class MergePart>
void merge(A a, std::ptrdiff_t a_size, B b, std::ptrdiff_t b_size, Out out, Compare& compare,
           const MergePart& merge_part) {
  constexpr std::ptrdiff_t kPart = 2048;
  const A a_end = index_at(a, a_size);
  const B b_end = index_at(b, b_size);
  if (a_size + b_size <= kPart) {
    merge_part(a, a_end, b, b_end, out, compare);
    return;
  }
  const std::ptrdiff_t rank = (a_size + b_size) / 2;
  const std::ptrdiff_t from_a = detail::merge_path(
      a, a_size, b, b_size, rank,
      [&compare](auto&& of_b, auto&& of_a) noexcept -> bool { return compare(of_b, of_a); });
  const std::ptrdiff_t from_b = rank - from_a;
  jobs::fork_join([&] { merge(a, from_a, b, from_b, out, compare, merge_part); },
                  [&] {
                    merge(index_at(a, from_a), a_size - from_a, index_at(b, from_b),
                          b_size - from_b, index_at(out, rank), compare, merge_part);
                  });
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI::interop::pstl
