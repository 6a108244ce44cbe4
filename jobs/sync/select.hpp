// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// select: waits for the first of several things, and does exactly that one.
//
//   std::optional<Order> order;
//   switch (jobs::select(orders.on_pop(order), quit.on_signal())) {
//     case 0: if (order) serve(*order); break;   // none: the channel is closed and empty
//     case 1: return;
//   }
//
// Things: Channel::on_pop(), Channel::on_push(), Event::on_signal().
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/selection.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

// Null: none, it was late or stopped.
JOBS_EXPORT Alternative* select_before(std::span<Alternative* const> alternatives, os::Nanoseconds deadline,
                                       const std::stop_token& stop);

template <class... A>
std::optional<std::size_t> select_index(os::Nanoseconds deadline, const std::stop_token& stop, A&... alternatives) {
  const std::array<Alternative*, sizeof...(A)> all{&alternatives...};
  const Alternative* const done = select_before(all, deadline, stop);
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (all[index] == done) return index;
  }
  return std::nullopt;
}

}  // namespace detail

template <class A>
concept Selectable = std::derived_from<A, detail::Alternative>;

// The index of the one that was done. If several can be done at once, the first of them is: put what must not starve first. If none
// can, suspends the fiber (an external thread: parks it), and keeps its place in the order of arrival with each. O(alternatives),
// allocates nothing. A channel may not be there both to push to and to pop from.
//
// May be called by jobs, fibers and external threads alike. Throws Error(kNoStack), before anything has changed, as every wait.
template <Selectable... A>
requires(sizeof...(A) > 0) std::size_t select(A&&... alternatives) {
  return *detail::select_index(os::kNever, {}, alternatives...);
}

// As above, but gives up when a stop is requested. post: nothing: none was done.
template <Selectable... A>
requires(sizeof...(A) > 0)
    [[nodiscard]] std::optional<std::size_t> select(const std::stop_token& stop, A&&... alternatives) {
  return detail::select_index(os::kNever, stop, alternatives...);
}

// As above, but only looks.
template <Selectable... A>
requires(sizeof...(A) > 0) [[nodiscard]] std::optional<std::size_t> try_select(A&&... alternatives) {
  return detail::select_index(detail::kPoll, {}, alternatives...);
}

// As above, but gives up at `when`. A moment in the past only looks. Throws Error for NaN.
template <class Clock, class Duration, Selectable... A>
requires(sizeof...(A) > 0)
    [[nodiscard]] std::optional<std::size_t> select_until(const std::chrono::time_point<Clock, Duration>& when,
                                                          A&&... alternatives) {
  return detail::select_index(detail::to_deadline(when), {}, alternatives...);
}
template <class Rep, class Period, Selectable... A>
requires(sizeof...(A) > 0)
    [[nodiscard]] std::optional<std::size_t> select_for(const std::chrono::duration<Rep, Period>& timeout,
                                                        A&&... alternatives) {
  return detail::select_index(detail::to_deadline(timeout), {}, alternatives...);
}

}  // namespace jobs::inline JOBS_ABI
