// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_reduce() and parallel_deterministic_reduce() of oneTBB, each with functions and with a
// body. Any thread may call them.
//
// With functions, the tree of additions is the tree of the parts (partitioner.hpp). The result
// therefore has the same bits for any number of workers and in every run, except with
// static_partitioner. parallel_deterministic_reduce() divides down to the grain, as oneTBB's, and
// returns the same bits as oneTBB's.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "jobs/interop/tbb/partitioner.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// Publishes the body after the left half. Partner: kContinue.
JOBS_ORDER(kLeftIsDone, release);
// Partner: kLeftIsDone.
JOBS_ORDER(kContinue, acquire);

template <class Range, class T, class F, class Combine>
T reduce(Call& call, Range& range, unsigned depth, const T& identity, const F& f,
         const Combine& combine) {
  if (call.is_cancelled()) return identity;
  if (depth == 0 || !range.is_divisible()) {
    std::optional<T> result;
    call.run([&] { result.emplace(f(range, identity)); });
    return result ? std::move(*result) : identity;
  }
  Range right_half(range, split());
  std::optional<T> left, right;
  fork_join([&] { left.emplace(reduce(call, range, depth - 1, identity, f, combine)); },
            [&] { right.emplace(reduce(call, right_half, depth - 1, identity, f, combine)); });
  std::optional<T> result;
  call.run([&] { result.emplace(combine(std::move(*left), std::move(*right))); });
  return result ? std::move(*result) : identity;
}

// A right half that begins after the end of the left one continues with the same body. Only a right
// half that runs concurrently gets its own body.
enum class Bodies { kWhenNeeded, kAlways };

template <Bodies kBodies, class Range, class Body>
void reduce(Call& call, Range& range, unsigned depth, Body& body) {
  if (call.is_cancelled()) return;
  if (depth == 0 || !range.is_divisible()) return call.run([&] { body(range); });
  Range right_half(range, split());
  std::optional<Body> own;
  if constexpr (kBodies == Bodies::kAlways) own.emplace(body, split());
  jobs::detail::Atomic<bool> left_is_done{false};
  fork_join(
      [&] {
        reduce<kBodies>(call, range, depth - 1, body);
        left_is_done.store(true, kLeftIsDone);
      },
      [&] {
        if (kBodies == Bodies::kWhenNeeded && !left_is_done.load(kContinue))
          call.run([&] { own.emplace(body, split()); });
        reduce<kBodies>(call, right_half, depth - 1, own ? *own : body);
      });
  if (own) call.run([&] { body.join(*own); });
}

template <Bodies kBodies, class Range, class Body, class... Options>
void reduce_by_body(unsigned depth, const Range& range, Body& body, Options&... options) {
  if (range.empty()) return;
  in_arena([&] {
    Call call(depth, options...);
    Range whole(range);
    reduce<kBodies>(call, whole, call.depth(), body);
  });
}

template <class Range, class T, class F, class Combine, class... Options>
T reduce_by_functions(unsigned depth, const Range& range, const T& identity, const F& f,
                      const Combine& combine, Options&... options) {
  if (range.empty()) return identity;
  return in_arena([&] {
    Call call(depth, options...);
    Range whole(range);
    return reduce(call, whole, call.depth(), identity, f, combine);
  });
}

}  // namespace detail

/// Combines f(part, identity) of all parts from left to right; returns identity for an empty range.
/// `combine` need not commute. If the call is cancelled, it returns the combination of some parts
/// without an error, as oneTBB's. Exceptions as parallel_for().
template <class Range, class T, class F, class Combine, detail::Option... Options>
  requires(!detail::Option<F> && !detail::Option<Combine>)
T parallel_reduce(const Range& range, const T& identity, const F& f, const Combine& combine,
                  Options&&... options) {
  return detail::reduce_by_functions(detail::kAutoDepth, range, identity, f, combine, options...);
}
/// The same, but divides down to the grain. In this library, parallel_reduce() is deterministic,
/// too.
template <class Range, class T, class F, class Combine, detail::Option... Options>
  requires(!detail::Option<F> && !detail::Option<Combine>)
T parallel_deterministic_reduce(const Range& range, const T& identity, const F& f,
                                const Combine& combine, Options&&... options) {
  return detail::reduce_by_functions(detail::kAnyDepth, range, identity, f, combine, options...);
}

/// Calls body(part) for all parts. Split bodies, Body(body, split()), are joined by
/// body.join(other) from left to right. A body may be split while it runs, as with oneTBB.
template <class Range, class Body, detail::Option... Options>
void parallel_reduce(const Range& range, Body& body, Options&&... options) {
  detail::reduce_by_body<detail::Bodies::kWhenNeeded>(detail::kAutoDepth, range, body, options...);
}
/// The same, but divides down to the grain and splits the body at each division.
template <class Range, class Body, detail::Option... Options>
void parallel_deterministic_reduce(const Range& range, Body& body, Options&&... options) {
  detail::reduce_by_body<detail::Bodies::kAlways>(detail::kAnyDepth, range, body, options...);
}

}  // namespace jobs::inline JOBS_ABI::tbb
