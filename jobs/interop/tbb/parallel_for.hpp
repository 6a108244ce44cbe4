// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for() of oneTBB: over a range that divides itself, and over indices. Any thread may call
// it.
//
// Differences from oneTBB: all parts share one body, which is not copied. partitioner.hpp describes
// the parts.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "jobs/base/exceptions.hpp"
#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/repeated_for.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

template <class T>
inline constexpr bool kIsBlockedRange = false;
template <class T>
inline constexpr bool kIsBlockedRange<blocked_range<T>> = true;

// Calls chunk(begin, end) for parts of [first, last). The inside of a chunk contains no test for
// cancellation, because such a test prevents vectorisation.
template <std::integral I, class F>
void for_chunks(Call& call, I first, I last, const F& chunk) {
  const auto run = [&](I begin, I end) { call.run([&] { chunk(begin, end); }); };
  if (call.affinity() != nullptr) {
    jobs::parallel_for(first, last, run, call.affinity()->partition());
  } else {
    jobs::parallel_for(first, last, run);
  }
}

// Divides the range into units of at least one grain, so that no part is smaller.
template <class Value, class Body>
void for_grains(Call& call, const blocked_range<Value>& range, const Body& body) {
  const std::size_t size = range.size();
  const std::size_t units = std::max<std::size_t>(1, size / range.grainsize());
  const auto bound = [&](std::size_t unit) {
    const std::size_t extra = std::min(unit, size % units);  // the first ones are longer by one
    return advance(range.begin(), unit * (size / units) + extra);
  };
  for_chunks(call, std::size_t{0}, units, [&](std::size_t first, std::size_t last) {
    blocked_range<Value> part(bound(first), bound(last), range.grainsize());
    body(part);
  });
}

template <std::integral Index, class F, class... Options>
void for_indices(Index first, Index last, Index step, const F& f, Options&... options) {
  if (step <= 0)
    JOBS_THROW(std::invalid_argument("jobs::tbb::parallel_for: the step is not positive"));
  if (last <= first) return;
  in_arena([&] {
    Call call(kAutoDepth, options...);
    if (step == 1) {
      return for_chunks(call, first, last, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) f(i);
      });
    }
    const auto stride = static_cast<std::uint64_t>(step);
    const std::uint64_t count = (jobs::detail::index_distance(first, last) - 1) / stride + 1;
    for_chunks(call, std::uint64_t{0}, count, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(jobs::detail::advance_index(first, i * stride));
    });
  });
}

}  // namespace detail

/// Calls body(part) for parts that make up the range. Rethrows the first exception after the
/// running parts have ended; it cancels the context, and parts that have not begun are dropped.
/// Unlike oneTBB's, the body is not copied.
///
/// @snippet interop.cpp loops
template <class Range, class Body, detail::Option... Options>
  requires(!std::integral<Range>)
void parallel_for(const Range& range, const Body& body, Options&&... options) {
  if (range.empty()) return;
  detail::in_arena([&] {
    detail::Call call(detail::kAutoDepth, options...);
    if constexpr (detail::kIsBlockedRange<Range>) {
      if (call.affinity() != nullptr) return detail::for_grains(call, range, body);
    }
    Range whole(range);
    detail::divide(call, whole, call.depth(), body);
  });
}

/// Calls f(i) for i = first, ... last - 1, with the automatic grain of jobs::parallel_for(). Unlike
/// in oneTBB, simple_, auto_ and static_partitioner have no effect here. Cancellation ends at the
/// end of the current chunks, after about 5 us.
template <std::integral Index, class F, detail::Option... Options>
  requires std::invocable<const F&, Index>
void parallel_for(Index first, Index last, const F& f, Options&&... options) {
  detail::for_indices(first, last, Index{1}, f, options...);
}
/// The same for i = first, first + step, ... below last. A step of 0 or less throws
/// std::invalid_argument.
template <std::integral Index, class F, detail::Option... Options>
  requires std::invocable<const F&, Index>
void parallel_for(Index first, Index last, Index step, const F& f, Options&&... options) {
  detail::for_indices(first, last, step, f, options...);
}

}  // namespace jobs::inline JOBS_ABI::tbb
