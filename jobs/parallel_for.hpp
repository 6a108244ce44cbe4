// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() runs the iterations of a loop in parallel.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>  // has the concepts of ranges, too; <ranges> costs 0.1 s more per file
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/parallel/loop.hpp"

namespace jobs::inline JOBS_ABI {

/// Number of iterations per chunk of a parallel loop.
///
/// An automatic grain is found while the loop runs, from the time that iterations take.
///
/// With an explicit grain the loop is split at once. Its chunks begin at multiples of the grain,
/// counted from the first index, and have as many iterations; the last chunk may be shorter. They
/// depend neither on the number of workers nor on timing. Results that the program keeps by chunk
/// are therefore the same in each run.
///
/// @snippet loops.cpp fixed_grain
class Grain {
 public:
  /// Creates an automatic grain.
  constexpr Grain() = default;
  /// Creates an explicit grain.
  ///
  /// @param iterations  number of iterations per chunk, at least 1
  /// @throws std::invalid_argument if `iterations` is 0
  JOBS_TAG_OF_MODE constexpr explicit Grain(std::size_t iterations) : iterations_(iterations) {
    if (iterations == 0)
      JOBS_THROW(
          std::invalid_argument("jobs::Grain: 0 iterations; leave it out for an automatic grain"));
  }
  /// Tells whether the loop finds the grain by itself.
  ///
  /// @returns true if no number was given
  constexpr bool is_automatic() const noexcept { return iterations_ == 0; }
  /// Returns the number of iterations per chunk.
  ///
  /// @returns the number given; 0 if the grain is automatic
  constexpr std::size_t iterations() const noexcept { return iterations_; }

 private:
  std::size_t iterations_ = 0;
};

namespace detail JOBS_OF_MODE {

// The type of the indices of a loop over elements. The differences of a std::views::iota of 64-bit
// numbers have 128 bits, but no loop has as many elements.
template <class R>
using ElementIndex =
    std::conditional_t<sizeof(std::ranges::range_difference_t<R>) <= sizeof(std::int64_t),
                       std::ranges::range_difference_t<R>, std::int64_t>;

template <class F, class I>
concept LoopBody = std::invocable<F&, I> || std::invocable<F&, I, I>;

// Returns first + offset without an intermediate overflow: from -2^63 on, the distance needs all 64
// bits.
template <std::integral I>
constexpr I advance_index(I first, std::uint64_t offset) noexcept {
  return static_cast<I>(static_cast<std::uint64_t>(first) + offset);
}

template <std::integral I>
constexpr std::uint64_t index_distance(I first, I last) noexcept {
  return first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}

// The type of the indices of a loop from an A to a B: the type of their sum, as in `i < last`.
template <class A, class B>
using IndexOf = std::common_type_t<A, B>;

// Returns true if first < last as mathematical numbers.
template <std::integral A, std::integral B>
constexpr bool is_index_before(A first, B last) noexcept {
  using I = IndexOf<A, B>;
  if constexpr (std::is_signed_v<A> && std::is_unsigned_v<I>) {
    if (first < 0) return true;
  } else if constexpr (std::is_signed_v<B> && std::is_unsigned_v<I>) {
    if (last < 0) return false;
  }
  return static_cast<I>(first) < static_cast<I>(last);
}

// The indices from first to last.
template <std::integral I>
struct IndexRange {
  I first;
  std::uint64_t count;
};
[[noreturn]] JOBS_COLD inline void throw_negative_index() {
  JOBS_THROW(
      std::out_of_range("jobs: a loop from a negative index has a bound of an unsigned type: "
                        "write the two with one signed type"));
}
template <std::integral A, std::integral B>
constexpr IndexRange<IndexOf<A, B>> index_range(A first, B last) {
  using I = IndexOf<A, B>;
  if (!is_index_before(first, last)) return {static_cast<I>(first), 0};
  if constexpr (std::is_signed_v<A> && std::is_unsigned_v<I>) {
    if (first < 0) [[unlikely]]
      throw_negative_index();
  }
  return {static_cast<I>(first), index_distance(static_cast<I>(first), static_cast<I>(last))};
}

// Runs one part of a loop, for the forms of loops that build on parallel_for().
template <std::integral I, class F>
  requires LoopBody<F, I>
void run_part(F& body, I begin, I end) {
  if constexpr (std::invocable<F&, I, I>) {
    body(begin, end);
  } else {
    for (I i = begin; i < end; ++i) body(i);
  }
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls body(i) for each i in [first, last), in parallel.
///
/// The body may take two indices instead: body(begin, end) is called for consecutive parts that
/// make up the range, so that it can be vectorised by hand. There is no call if first >= last.
///
/// Each iteration runs exactly once, unless one throws, and all iterations have ended when the call
/// returns. The order is unspecified. Iterations need not run concurrently: a short loop stays on
/// the caller. Jobs and other loops may call it. An unbound thread runs its share in place, as an
/// external participant of its current scheduler.
///
/// If iterations throw, parts that have not begun are dropped. When all running parts have ended,
/// the call rethrows the exception of the lowest index among the parts that threw.
///
/// The bounds may have different types, as in `parallel_for(0, values.size(), body)`. The index has
/// their std::common_type.
///
/// @snippet loops.cpp parallel_for
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param grain  iterations per chunk; automatic if left out
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range if a loop with iterations begins at a negative index, and the other
///   bound makes the index unsigned
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls. Beyond the body: one clock reading (0.3 us with its side effects) per
///   chunk of 5 to 100 us; a few ns per chunk with an explicit grain. No allocation, except for one
///   block of the worker's pool per part that another worker takes, as for spawn().
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, Grain grain = {}) {
  using I = detail::IndexOf<A, B>;
  const auto range = detail::index_range(first, last);
  const std::uint64_t count = range.count;
  if (count == 0) return;
  auto chunk = [&body, first = range.first](std::uint64_t begin, std::uint64_t end) {
    const I from = detail::advance_index(first, begin);
    const std::uint64_t size = end - begin;
    if constexpr (std::invocable<F&, I, I>) {
      body(from, detail::advance_index(first, end));
    } else {
      for (std::uint64_t i = 0; i < size; ++i) body(detail::advance_index(from, i));
    }
  };
  const auto size = grain.is_automatic() ? detail::ChunkSize::automatic()
                                         : detail::ChunkSize::fixed(grain.iterations());
  detail::with_context([&](detail::WorkerContext& context) {
    detail::LoopState loop;
    detail::run_range(loop, context, 0, count, size, chunk);
  });
}

/// Calls body(element) for each element of a random-access range, in parallel.
///
/// The overload has the guarantees and costs of the loop over indices.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param grain  elements per chunk; automatic if left out
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) calls, as the loop over indices
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class F>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, Grain grain = {}) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, grain);
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {

// The reason why no form of a loop over indices takes (first, last, third, rest...), where `third`
// is a body or a step.
template <class First, class Last, class Third, class... Rest>
struct IndexLoopCheck {
  using Next = typename FirstOf<Rest...>::Type;
  using Index = IndexOf<First, Last>;
  static constexpr bool kIntegers = std::integral<First> && std::integral<Last>;
  static constexpr bool kHasStep =
      std::convertible_to<Third, Index> && !LoopBody<Third, Index> && sizeof...(Rest) > 0;
  static constexpr bool has_body() {
    if constexpr (kHasStep) {
      return std::invocable<std::add_lvalue_reference_t<Next>, Index>;
    } else {
      return LoopBody<Third, Index>;
    }
  }
  static constexpr bool kHasBody = has_body();
  static constexpr bool kHasNumber = !kHasStep && Number<Next>;
  static constexpr bool kIsRight = kIntegers && kHasBody && !kHasNumber;
};

// The reason why no form of a loop over elements takes (range, body, rest...).
template <class R, class F, class... Rest>
struct ElementLoopCheck {
  static constexpr bool kHasIndex =
      std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
  static constexpr bool kHasBody = std::invocable<F&, std::ranges::range_reference_t<R>>;
  static constexpr bool kHasNumber = Number<typename FirstOf<Rest...>::Type>;
  static constexpr bool kIsRight = kHasIndex && kHasBody && !kHasNumber;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class First, class Last, class Third, class... Rest>
  requires(std::is_arithmetic_v<First> && std::is_arithmetic_v<Last> &&
           !detail::IndexLoopCheck<First, Last, Third, Rest...>::kIsRight)
auto parallel_for(First, Last, Third&&, Rest&&...) {
  using Check = detail::IndexLoopCheck<First, Last, Third, Rest...>;
  static_assert(Check::kIntegers, "jobs::parallel_for: first and last must be integers");
  static_assert(!Check::kIntegers || Check::kHasStep || Check::kHasBody,
                "jobs::parallel_for: body must be callable as f(index) or f(begin, end)");
  static_assert(!Check::kIntegers || !Check::kHasStep || Check::kHasBody,
                "jobs::parallel_for: with a step, body must be callable as f(index)");
  static_assert(!Check::kIntegers || !Check::kHasBody || !Check::kHasNumber,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <class R, class F, class... Rest>
  requires(std::ranges::range<R> && !detail::ElementLoopCheck<R, F, Rest...>::kIsRight)
auto parallel_for(R&&, F&&, Rest&&...) {
  using Check = detail::ElementLoopCheck<R, F, Rest...>;
  static_assert(Check::kHasIndex,
                "jobs::parallel_for: the range must have random access and a size; "
                "jobs::parallel_for_each takes a list");
  static_assert(!Check::kHasIndex || Check::kHasBody,
                "jobs::parallel_for: body must be callable as f(element)");
  static_assert(!Check::kHasIndex || !Check::kHasBody || !Check::kHasNumber,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <class Last, class F, class... Rest>
  requires(std::is_arithmetic_v<Last> && !std::is_arithmetic_v<std::remove_cvref_t<F>>)
auto parallel_for(Last, F&&, Rest&&...) {
  static_assert(detail::kNever<Last>,
                "jobs::parallel_for: takes (first, last, body) with two integers, such as "
                "(0, n, body), or (range, body)");
}
template <std::input_or_output_iterator I, std::sentinel_for<I> S, class F, class... Rest>
  requires(!std::ranges::range<I>)
auto parallel_for(I, S, F&&, Rest&&...) {
  static_assert(detail::kNever<I>,
                "jobs::parallel_for: takes indices or a range, no iterators: write "
                "std::ranges::subrange(first, last)");
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
