// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for with a std::stop_token: a loop that somebody else may cut short.
//
//   jobs::parallel_for(0, n, search, stop.get_token());   // throws jobs::Cancelled if it was stopped before its end
//
// Any thread may call it, as parallel_for, of which it is a form.
#pragma once

#include <concepts>
#include <iterator>
#include <stop_token>

#include "jobs/base/exceptions.hpp"
#include "jobs/error.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// So that a loop never returns as if it had finished.
inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) [[unlikely]]
    JOBS_THROW(Cancelled("jobs::parallel_for: stopped before its end"));
}

}  // namespace detail

JOBS_OF_MODE_BEGIN

// As parallel_for. If a stop is requested while parts have yet to begin, they are dropped and Cancelled is thrown when those that
// run have ended; if it returns, each iteration has run. An automatic grain looks at the token every 5 to 100 us or each iteration,
// whichever is longer. An exception of an iteration with a lower index comes first.
template <std::integral I, class F>
requires detail::LoopBody<F, I>
void parallel_for(I first, I last, F&& body, std::stop_token stop, Grain grain = {}) {
  parallel_for(
      first, last,
      [&](I begin, I end) {
        detail::throw_if_stopped(stop);
        detail::run_part(body, begin, end);
      },
      grain);
}

// body(element) for each element of a random-access range. As above.
template <std::ranges::random_access_range R, class F>
requires std::ranges::sized_range<R> && std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for(R&& range, F&& body, std::stop_token stop, Grain grain = {}) {
  const auto first = std::ranges::begin(range);
  using Distance = std::ranges::range_difference_t<R>;
  parallel_for(
      Distance{0}, static_cast<Distance>(std::ranges::size(range)), [&](Distance i) { body(first[i]); },
      std::move(stop), grain);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
