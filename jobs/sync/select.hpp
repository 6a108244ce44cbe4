// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::select(), which waits for the first of several alternatives.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/sync/core/selection.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

// Returns the alternative that was completed; null after a deadline or a stop.
JOBS_EXPORT Alternative* select_before(std::span<Alternative* const> alternatives,
                                       os::Nanoseconds deadline, const std::stop_token& stop);

template <class... A>
std::optional<std::size_t> select_index(os::Nanoseconds deadline, const std::stop_token& stop,
                                        A&... alternatives) {
  const std::array<Alternative*, sizeof...(A)> all{&alternatives...};
  const Alternative* const done = select_before(all, deadline, stop);
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (all[index] == done) return index;
  }
  return std::nullopt;
}

}  // namespace detail

/// An alternative of select(): a wait or an operation that a primitive has made.
///
/// Channel::on_pop(), Channel::on_push(), Counter::on_zero(), Event::on_signal(),
/// FiberHandle::on_end() and Semaphore::on_acquire() make alternatives.
///
/// @tparam A  type of the alternative
template <class A>
concept Selectable = std::derived_from<A, detail::Alternative>;

/// Waits for the first of several alternatives and completes it alone.
///
/// If several alternatives are ready, the call completes the first of them in the order of the
/// arguments. Therefore put an alternative that must not starve first. If none is ready, the call
/// suspends the fiber (an external thread is parked) and queues it with each alternative; the fiber
/// keeps its position in every queue. One call must not push to a channel and pop from it.
///
/// @snippet sync.cpp select
///
/// Counters, fibers and semaphores are alternatives, too:
///
/// @snippet sync.cpp select_any_wait
///
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns index of the completed alternative, from 0
/// @throws std::bad_alloc for a push to an unbounded channel
/// @throws Error(kNoStack) or Cancelled before anything has changed, see \ref waiting
/// @complexity O(alternatives), no allocation
/// @thread_safety any thread or fiber, concurrently
template <Selectable... A>
  requires(sizeof...(A) > 0)
std::size_t select(A&&... alternatives) {
  return *detail::select_index(os::kNever, {}, alternatives...);
}

/// Waits as select() does, until a stop is requested.
///
/// @param stop  a stop request through this token ends the wait
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns index of the completed alternative; empty if the stop came first
/// @throws Error(kNoStack) or Cancelled before anything has changed, see \ref waiting
/// @complexity O(alternatives), no allocation
/// @thread_safety any thread or fiber, concurrently
template <Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] std::optional<std::size_t> select(const std::stop_token& stop, A&&... alternatives) {
  return detail::select_index(os::kNever, stop, alternatives...);
}

/// Completes the first alternative that is ready, without waiting.
///
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns index of the completed alternative; empty if none is ready
/// @complexity O(alternatives), no allocation
/// @thread_safety any thread or fiber, concurrently
template <Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] std::optional<std::size_t> try_select(A&&... alternatives) {
  return detail::select_index(detail::kPoll, {}, alternatives...);
}

/// Waits as select() does, until a point in time.
///
/// @param when  point in time on any clock; a past point makes the call a poll
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns index of the completed alternative; empty if the deadline came first
/// @throws Error(kBadArgument) if the time is NaN
/// @throws Error(kNoStack) or Cancelled before anything has changed, see \ref waiting
/// @complexity O(alternatives), no allocation
/// @thread_safety any thread or fiber, concurrently
template <class Clock, class Duration, Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] std::optional<std::size_t> select_until(
    const std::chrono::time_point<Clock, Duration>& when, A&&... alternatives) {
  return detail::select_index(detail::to_deadline(when), {}, alternatives...);
}

/// Waits as select_until() does, for a duration from the call on.
///
/// @param timeout  duration; zero or less makes the call a poll
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns index of the completed alternative; empty if the deadline came first
/// @throws Error(kBadArgument) if the time is NaN
/// @throws Error(kNoStack) or Cancelled before anything has changed, see \ref waiting
/// @complexity O(alternatives), no allocation
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period, Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] std::optional<std::size_t> select_for(
    const std::chrono::duration<Rep, Period>& timeout, A&&... alternatives) {
  return detail::select_index(detail::to_deadline(timeout), {}, alternatives...);
}

// Readable errors for wrong calls.
#define JOBS_ALTERNATIVES \
  "alternatives, such as event.on_signal(), counter.on_zero(), channel.on_pop(item)"
JOBS_REFUSE_OTHER_CALLS(select, "takes " JOBS_ALTERNATIVES "; a std::stop_token comes before them")
JOBS_REFUSE_OTHER_CALLS(try_select, "takes " JOBS_ALTERNATIVES)
JOBS_REFUSE_OTHER_CALLS(select_for, "takes a duration, then " JOBS_ALTERNATIVES)
JOBS_REFUSE_OTHER_CALLS(select_until, "takes a point in time, then " JOBS_ALTERNATIVES)
#undef JOBS_ALTERNATIVES

}  // namespace jobs::inline JOBS_ABI
