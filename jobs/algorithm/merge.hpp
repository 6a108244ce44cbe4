// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_merge(): merges two sorted ranges into a third one. Equal elements of the first range
// come first.
//
//   jobs::parallel_merge(old_prices, new_prices, all_prices.begin());
//
// Any thread may call it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/core/both.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// How a merge puts an element into its new place. Moves must not throw: an element that is in
// neither place would be lost.
struct CopyTo {
  template <class From, class To>
  JOBS_ALWAYS_INLINE void operator()(From&& from, To&& to) const {
    to = from;
  }
};
struct MoveTo {
  template <class From, class To>
  JOBS_ALWAYS_INLINE void operator()(From&& from, To&& to) const noexcept {
    to = std::move(from);
  }
};
// The new place is memory without an object.
struct ConstructAt {
  template <class T>
  JOBS_ALWAYS_INLINE void operator()(T& from, T& to) const noexcept {
    std::construct_at(std::addressof(to), std::move(from));
  }
};

// Returns a pointer to const for a contiguous iterator, so that two ranges with the same element
// type have the same iterator type.
template <std::random_access_iterator It>
constexpr auto unwrap_to_read(It it) noexcept {
  if constexpr (std::contiguous_iterator<It>) {
    return static_cast<const std::iter_value_t<It>*>(std::to_address(it));
  } else {
    return it;
  }
}

// Merges on the calling thread. If `before` throws, all elements are in `out`, in some order.
template <class A, class B, class Out, class Put, class Before>
void merge_alone(A a, A a_end, B b, B b_end, Out out, const Put& put, const Before& before) {
  using T = std::iter_value_t<A>;
  JOBS_TRY {
    if constexpr (kCheap<T> && std::is_same_v<A, B>) {
      // Merges from both ends while neither input can run out: two chains of steps without a branch
      // that depends on data.
      while (true) {
        const auto steps = std::min<std::ptrdiff_t>(a_end - a, b_end - b);
        if (steps < 8) break;
        Out out_end = out + (a_end - a) + (b_end - b);
        for (std::ptrdiff_t i = 0; i < steps; ++i) {
          const bool take_b = before(*b, *a);
          put(*(take_b ? b : a), *out);
          ++out;
          b += take_b;
          a += !take_b;
          const bool take_a = before(*(b_end - 1), *(a_end - 1));
          --out_end;
          put(*((take_a ? a_end : b_end) - 1), *out_end);
          a_end -= take_a;
          b_end -= !take_a;
        }
        // Only an inconsistent order gets here.
        if (a_end < a || b_end < b) return;
      }
    }
    while (a != a_end && b != b_end) {
      if (before(*b, *a)) {
        put(*b, *out);
        ++b;
      } else {
        put(*a, *out);
        ++a;
      }
      ++out;
    }
  }
  JOBS_CATCH_ALL {
    for (; a != a_end; ++a, ++out) put(*a, *out);
    for (; b != b_end; ++b, ++out) put(*b, *out);
    JOBS_RETHROW;
  }
  for (; a != a_end; ++a, ++out) put(*a, *out);
  for (; b != b_end; ++b, ++out) put(*b, *out);
}

// Returns the number of elements that a contributes to the first `rank` elements of the merged
// order. O(log min(rank, n)).
template <class A, class B, class Before>
std::ptrdiff_t merge_path(A a, std::ptrdiff_t a_size, B b, std::ptrdiff_t b_size,
                          std::ptrdiff_t rank, const Before& before) {
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, rank - b_size);
  std::ptrdiff_t high = std::min(rank, a_size);
  while (low < high) {
    const std::ptrdiff_t middle = low + (high - low) / 2;
    if (before(b[rank - middle - 1], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Merges in parallel: splits the output into halves of equal size down to kSplitFrom elements.
// Exceptions as merge_alone(). All parts have ended when it returns or throws.
template <class A, class B, class Out, class Put, class Before>
void merge_together(WorkerContext& context, A a, A a_end, B b, B b_end, Out out, const Put& put,
                    const Before& before) {
  constexpr std::ptrdiff_t kSplitFrom = 8192;
  const std::ptrdiff_t a_size = a_end - a;
  const std::ptrdiff_t b_size = b_end - b;
  if (a_size + b_size < kSplitFrom) return merge_alone(a, a_end, b, b_end, out, put, before);
  const std::ptrdiff_t rank = (a_size + b_size) / 2;
  std::ptrdiff_t from_a;
  JOBS_TRY { from_a = merge_path(a, a_size, b, b_size, rank, before); }
  JOBS_CATCH_ALL {
    merge_alone(a, a_end, b, b_end, out, put, [](const auto&, const auto&) { return false; });
    JOBS_RETHROW;
  }
  const A a_middle = a + from_a;
  const B b_middle = b + (rank - from_a);
  run_both(
      context,
      [&](WorkerContext& here) {
        merge_together(here, a, a_middle, b, b_middle, out, put, before);
      },
      [&](WorkerContext& there) {
        merge_together(there, a_middle, a_end, b_middle, b_end, out + rank, put, before);
      });
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Merges two sorted ranges into `out`; stable.
///
/// Equal elements of `a` come before those of `b`. Several workers call `compare` and the
/// projections concurrently. If one of them throws, the output holds some of the elements.
///
/// @snippet algorithms.cpp merge
///
/// Source: the splits follow S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge path:
/// parallel merging made simple", IPDPSW 2012.
///
/// @tparam A  sized random access range
/// @tparam B  sized random access range
/// @tparam Out  random access iterator
/// @tparam Compare  strict weak order of projected elements
/// @tparam ProjectionA  function from an element of `a` to its key
/// @tparam ProjectionB  function from an element of `b` to its key
/// @param a  first range, sorted by `compare` of the projections
/// @param b  second range, sorted likewise
/// @param out  begin of the output, which has room for all elements and must not overlap the inputs
/// @param compare  returns true if its first argument comes before its second one
/// @param projection_a  returns the key of an element of `a`
/// @param projection_b  returns the key of an element of `b`
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::fork_join
/// @complexity O(n), at most n + O(log n) comparisons for each participating worker
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <std::ranges::random_access_range A, std::ranges::random_access_range B,
          std::random_access_iterator Out, class Compare = std::ranges::less,
          class ProjectionA = std::identity, class ProjectionB = std::identity>
  requires std::mergeable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>, Out, Compare,
                          ProjectionA, ProjectionB> &&
           std::ranges::sized_range<A> && std::ranges::sized_range<B>
Out parallel_merge(A&& a, B&& b, Out out, Compare compare = {}, ProjectionA projection_a = {},
                   ProjectionB projection_b = {}) {
  const auto a_begin = detail::unwrap_to_read(std::ranges::begin(a));
  const auto b_begin = detail::unwrap_to_read(std::ranges::begin(b));
  const auto a_size = std::ranges::ssize(a);
  const auto b_size = std::ranges::ssize(b);
  // Compares an element of b with an element of a; all merges above compare in this direction.
  const auto before = [&](auto&& of_b, auto&& of_a) {
    return static_cast<bool>(
        std::invoke(compare, std::invoke(projection_b, of_b), std::invoke(projection_a, of_a)));
  };
  detail::with_context([&](detail::WorkerContext& context) {
    detail::merge_together(context, a_begin, a_begin + a_size, b_begin, b_begin + b_size, out,
                           detail::CopyTo(), before);
  });
  return out + (a_size + b_size);
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_CALLS(parallel_merge, "takes (range, range, out, compare)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_RANGES(parallel_merge)

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
