// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for: a loop whose iterations may run at the same time.
//
//   jobs::parallel_for(0, n, [&](int i) { y[i] += a * x[i]; });
//   jobs::parallel_for(0, n, [&](int begin, int end) { saxpy(y + begin, x + begin, end - begin); });   // vectorised by hand
//   jobs::parallel_for(meshes, [](Mesh& mesh) { mesh.build_bvh(); });
//
// Any thread may call it, also from within jobs and loops. An unbound thread runs its share in place, as a guest of the default
// scheduler. Promised: each iteration runs exactly once, unless one throws; all have ended when it returns. Not promised: an
// order, or that iterations run at the same time at all: a short loop stays on the caller.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>  // and the concepts of ranges, which it needs itself: <ranges> adds views, and 0.1 s to each file
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/parallel/loop.hpp"

namespace jobs::inline JOBS_ABI {

// Iterations that are worth a job of their own. Automatic: found while the loop runs, from the time that it takes. Explicit: the
// loop may be split at once, but no further than that. An explicit 0 throws std::invalid_argument.
class Grain {
 public:
  constexpr Grain() = default;
  JOBS_TAG_OF_MODE constexpr explicit Grain(std::size_t iterations) : iterations_(iterations) {
    if (iterations == 0)
      JOBS_THROW(std::invalid_argument("jobs::Grain: 0 iterations; leave it out for an automatic grain"));
  }
  constexpr bool is_automatic() const noexcept { return iterations_ == 0; }
  constexpr std::size_t iterations() const noexcept { return iterations_; }

 private:
  std::size_t iterations_ = 0;
};

namespace detail JOBS_OF_MODE {

template <class F, class I>
concept LoopBody = std::invocable<F&, I> || std::invocable<F&, I, I>;

// first + offset without overflow on the way: from -2^63 on, the distance needs all 64 bits.
template <std::integral I>
constexpr I advance_index(I first, std::uint64_t offset) noexcept {
  return static_cast<I>(static_cast<std::uint64_t>(first) + offset);
}

template <std::integral I>
constexpr std::uint64_t index_distance(I first, I last) noexcept {
  return first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}

// A part of a loop, for the forms of loops that stand on others.
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

// Calls body(i) for each i of [first, last), or body(begin, end) for parts that make up the range; none if first >= last. The
// first exception (of the lowest index among the parts that threw) is rethrown after all running parts have ended; parts that had
// not begun are dropped. No allocation, but for blocks of the workers' as spawn() has them, one for each part that is given away.
// Cost beyond the body: a clock read, 0.3 us with its effects, for each chunk of 5 to 100 us; a few ns per chunk with an explicit grain.
template <std::integral I, class F>
requires detail::LoopBody<F, I>
void parallel_for(I first, I last, F&& body, Grain grain = {}) {
  const std::uint64_t count = detail::index_distance(first, last);
  if (count == 0) return;
  auto chunk = [&body, first](std::uint64_t begin, std::uint64_t end) {
    const I from = detail::advance_index(first, begin);
    const std::uint64_t size = end - begin;
    if constexpr (std::invocable<F&, I, I>) {
      body(from, detail::advance_index(first, end));
    } else {
      for (std::uint64_t i = 0; i < size; ++i) body(detail::advance_index(from, i));
    }
  };
  const auto size =
      grain.is_automatic() ? detail::ChunkSize::automatic() : detail::ChunkSize::fixed(grain.iterations());
  detail::with_lane([&](detail::Lane& lane) {
    detail::LoopState loop;
    detail::run_range(loop, lane, 0, count, size, chunk);
  });
}

// Calls body(element) for each element of a random-access range. As above.
template <std::ranges::random_access_range R, class F>
requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, Grain grain = {}) {
  const auto first = std::ranges::begin(range);
  using Distance = std::ranges::range_difference_t<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)), [&](Distance i) { body(first[i]); }, grain);
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {

// Why no form of a loop over indices takes (first, last, third, rest...), where `third` is a body or a step.
template <class First, class Last, class Third, class... Rest>
struct IndexLoopCheck {
  using Next = typename FirstOf<Rest...>::Type;
  static constexpr bool kOneType = std::same_as<First, Last>;
  static constexpr bool kIntegers = std::integral<First> && std::integral<Last>;
  static constexpr bool kHasStep = std::convertible_to<Third, First> && !LoopBody<Third, First> && sizeof...(Rest) > 0;
  static constexpr bool has_body() {
    if constexpr (kHasStep) {
      return std::invocable<std::add_lvalue_reference_t<Next>, First>;
    } else {
      return LoopBody<Third, First>;
    }
  }
  static constexpr bool kHasBody = has_body();
  static constexpr bool kHasNumber = !kHasStep && Number<Next>;
  static constexpr bool kIsRight = kOneType && kIntegers && kHasBody && !kHasNumber;
};

// Why no form of a loop over elements takes (range, body, rest...).
template <class R, class F, class... Rest>
struct ElementLoopCheck {
  static constexpr bool kHasIndex = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
  static constexpr bool kHasBody = std::invocable<F&, std::ranges::range_reference_t<R>>;
  static constexpr bool kHasNumber = Number<typename FirstOf<Rest...>::Type>;
  static constexpr bool kIsRight = kHasIndex && kHasBody && !kHasNumber;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Wrong calls (jobs/base/wrong_call.hpp).
template <class First, class Last, class Third, class... Rest>
requires(std::is_arithmetic_v<First>&& std::is_arithmetic_v<Last> &&
         !detail::IndexLoopCheck<First, Last, Third, Rest...>::kIsRight) auto parallel_for(First, Last, Third&&,
                                                                                           Rest&&...) {
  using Check = detail::IndexLoopCheck<First, Last, Third, Rest...>;
  static_assert(
      Check::kOneType,
      "jobs::parallel_for: first and last must have one type: write std::size_t{0}, not 0, beside a std::size_t");
  static_assert(!Check::kOneType || Check::kIntegers, "jobs::parallel_for: first and last must be integers");
  static_assert(!Check::kOneType || !Check::kIntegers || Check::kHasStep || Check::kHasBody,
                "jobs::parallel_for: body must be callable as f(index) or f(begin, end)");
  static_assert(!Check::kOneType || !Check::kIntegers || !Check::kHasStep || Check::kHasBody,
                "jobs::parallel_for: with a step, body must be callable as f(index)");
  static_assert(!Check::kOneType || !Check::kIntegers || !Check::kHasBody || !Check::kHasNumber,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <class R, class F, class... Rest>
requires(std::ranges::range<R> && !detail::ElementLoopCheck<R, F, Rest...>::kIsRight) auto parallel_for(R&&, F&&,
                                                                                                        Rest&&...) {
  using Check = detail::ElementLoopCheck<R, F, Rest...>;
  static_assert(
      Check::kHasIndex,
      "jobs::parallel_for: the range must have random access and a size; jobs::parallel_for_each takes a list");
  static_assert(!Check::kHasIndex || Check::kHasBody, "jobs::parallel_for: body must be callable as f(element)");
  static_assert(!Check::kHasIndex || !Check::kHasBody || !Check::kHasNumber,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <std::input_or_output_iterator I, std::sentinel_for<I> S, class F, class... Rest>
requires(!std::ranges::range<I>) auto parallel_for(I, S, F&&, Rest&&...) {
  static_assert(detail::kNever<I>,
                "jobs::parallel_for: takes indices or a range, no iterators: write std::ranges::subrange(first, last)");
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
