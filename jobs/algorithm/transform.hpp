// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_transform(): applies f to each element, into another range. parallel_generate(): assigns
// f(index) to each element. parallel_for_each_n(): calls f for the first n elements.
//
//   jobs::parallel_transform(angles, sines.begin(), [](double x) { return std::sin(x); });
//   // The same noise on any number of workers (random_at.hpp):
//   jobs::parallel_generate(noise, jobs::RandomAt(seed));
//
// Any thread may call them. They keep the promises of parallel_for(): one call per element, no
// order; the first exception ends the loop.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"

namespace jobs::inline JOBS_ABI {

JOBS_OF_MODE_BEGIN

/// Assigns f(x[i]) to out[i] for each element of a range.
///
/// Several workers call `f` concurrently, once per element, in no order.
///
/// @snippet algorithms.cpp transform
///
/// @tparam R  sized random access range
/// @tparam Out  random access iterator
/// @tparam F  function from an element to a value
/// @param range  input
/// @param out  begin of the output: the begin of the input, or no overlap with it
/// @param f  returns the value of an element
/// @returns the end of the output
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n), no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint outputs
template <std::ranges::random_access_range R, std::random_access_iterator Out, class F>
  requires std::ranges::sized_range<R> &&
           std::indirectly_writable<Out,
                                    std::invoke_result_t<F&, std::ranges::range_reference_t<R>>>
Out parallel_transform(R&& range, Out out, F&& f) {
  const auto in = detail::unwrap(std::ranges::begin(range));
  const auto to = detail::unwrap(out);
  const auto n = std::ranges::ssize(range);
  detail::with_context([&](detail::WorkerContext& context) {
    detail::for_each_part(
        context, static_cast<std::size_t>(n), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            to[static_cast<std::iter_difference_t<Out>>(i)] =
                std::invoke(f, in[static_cast<std::ranges::range_difference_t<R>>(i)]);
          }
        });
  });
  return out + n;
}

/// Assigns f(i) to the i-th element of a range.
///
/// Several workers call `f` concurrently, once per element, in no order.
///
/// @snippet algorithms.cpp generate
///
/// @tparam R  sized random access range
/// @tparam F  function from a std::size_t to a value
/// @param range  output
/// @param f  returns the value for an index
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n), no allocation
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class F>
  requires std::ranges::sized_range<R> &&
           std::indirectly_writable<std::ranges::iterator_t<R>,
                                    std::invoke_result_t<F&, std::size_t>>
void parallel_generate(R&& range, F&& f) {
  const auto to = detail::unwrap(std::ranges::begin(range));
  detail::with_context([&](detail::WorkerContext& context) {
    detail::for_each_part(context, static_cast<std::size_t>(std::ranges::size(range)),
                          [&](std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                              to[static_cast<std::ranges::range_difference_t<R>>(i)] =
                                  std::invoke(f, i);
                            }
                          });
  });
}

/// Calls f(first[i]) for each i of [0, n).
///
/// Several workers call `f` concurrently, once per element, in no order.
///
/// @snippet algorithms.cpp for_each_n
///
/// @tparam I  random access iterator
/// @tparam F  function of an element
/// @param first  begin of the range
/// @param n  number of elements, at least 0
/// @param f  called with each element
/// @returns first + n
/// @throws the exception of the lowest part that threw, as jobs::parallel_for
/// @complexity O(n), no allocation
/// @thread_safety any thread or fiber, concurrently
template <std::random_access_iterator I, class F>
  requires std::invocable<F&, std::iter_reference_t<I>>
I parallel_for_each_n(I first, std::iter_difference_t<I> n, F&& f) {
  const auto from = detail::unwrap(first);
  detail::with_context([&](detail::WorkerContext& context) {
    detail::for_each_part(context, n > 0 ? static_cast<std::size_t>(n) : 0,
                          [&](std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i)
                              std::invoke(f, from[static_cast<std::iter_difference_t<I>>(i)]);
                          });
  });
  return first + n;
}

// Readable errors for wrong calls.
JOBS_REFUSE_OTHER_CALLS(parallel_transform, "takes (range, out, f), with f(element)" JOBS_WHERE_OUT)
JOBS_REFUSE_OTHER_RANGES(parallel_transform)
JOBS_REFUSE_OTHER_RANGES(parallel_generate)
/// @cond
template <std::ranges::random_access_range R, std::random_access_iterator Out, class F>
  requires(!std::invocable<F&, std::ranges::range_reference_t<R>>)
auto parallel_transform(R&&, Out, F&&) {
  static_assert(detail::kNever<R>, "jobs::parallel_transform: f must be callable as f(element)");
  return detail::Anything();
}
template <std::ranges::random_access_range R, class F>
  requires(!std::invocable<F&, std::size_t>)
auto parallel_generate(R&&, F&&) {
  static_assert(
      detail::kNever<R>,
      "jobs::parallel_generate: f must be callable as f(index), where the index is a std::size_t");
}
template <std::random_access_iterator I, class F>
  requires(!std::invocable<F&, std::iter_reference_t<I>>)
auto parallel_for_each_n(I, std::iter_difference_t<I>, F&&) {
  static_assert(detail::kNever<I>, "jobs::parallel_for_each_n: f must be callable as f(element)");
  return detail::Anything();
}

/// @endcond
JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
