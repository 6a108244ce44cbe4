// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() with a std::stop_token that can end the loop early.
#pragma once

#include <concepts>
#include <iterator>
#include <stop_token>

#include "jobs/base/exceptions.hpp"
#include "jobs/error.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Throws Cancelled, so that a stopped loop never returns as if it had finished.
inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) [[unlikely]]
    JOBS_THROW(Cancelled("jobs::parallel_for: stopped before its end"));
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls body for each index in [first, last), unless a stop is requested.
///
/// If a stop is requested before every part has begun, the remaining parts are dropped. The call
/// throws Cancelled when the running parts have ended. If the call returns, each iteration has run.
/// The other guarantees are those of parallel_for() without a stop token. An exception of an
/// iteration with a lower index takes precedence over Cancelled.
///
/// With an automatic grain the token is read every 5 to 100 us, or once per iteration if an
/// iteration takes longer.
///
/// @snippet loops.cpp stoppable_for
///
/// @param first  first index
/// @param last  index after the last one
/// @param body  callable as body(index) or body(begin, end); several workers call it concurrently
/// @param stop  token that ends the loop early
/// @param grain  iterations per chunk; automatic if left out
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as parallel_for() without a token, and one load of the token's state per chunk
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F>
  requires detail::LoopBody<F, detail::IndexOf<A, B>>
void parallel_for(A first, B last, F&& body, std::stop_token stop, Grain grain = {}) {
  using I = detail::IndexOf<A, B>;
  parallel_for(
      first, last,
      [&](I begin, I end) {
        detail::throw_if_stopped(stop);
        detail::run_part(body, begin, end);
      },
      grain);
}

/// Calls body(element) for each element of a range, unless a stop is requested.
///
/// The overload has the guarantees and costs of the loop over indices with a stop token.
///
/// @param range  sized random-access range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param stop  token that ends the loop early
/// @param grain  elements per chunk; automatic if left out
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws exception of the body, of the lowest index among the parts that threw
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as the loop over indices with a stop token
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::random_access_range R, class F>
  requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, std::stop_token stop, Grain grain = {}) {
  const auto first = std::ranges::begin(range);
  using Distance = detail::ElementIndex<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)),
      [&](Distance i) { body(first[i]); }, std::move(stop), grain);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
