// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// wait_all() and wait_any() wait for the ends of several fibers.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>

#include "jobs/base/deadline.hpp"
#include "jobs/fiber_ref.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
JOBS_EXPORT std::optional<std::size_t> wait_any(std::span<const FiberRef> fibers,
                                                os::Nanoseconds deadline);
}

/// Waits until all fibers have ended; their results remain for Fiber::join().
///
/// @param fibers  references to the fibers; empty references count as ended
/// @throws Error(kBadArgument) if the caller is among the fibers
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(fibers), no allocation
/// @thread_safety any thread or fiber, concurrently
inline void wait_all(std::span<const FiberRef> fibers) {
  for (const FiberRef& fiber : fibers) fiber.wait();
}
/// Waits until all fibers have ended; their results remain for Fiber::join().
///
/// @param fibers  references to the fibers; empty references count as ended
/// @throws Error(kBadArgument) if the caller is among the fibers
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(fibers), no allocation
/// @thread_safety any thread or fiber, concurrently
inline void wait_all(std::initializer_list<FiberRef> fibers) {
  wait_all(std::span(fibers.begin(), fibers.end()));
}

/// Waits until at least one fiber has ended.
///
/// @snippet fibers.cpp wait_any
///
/// @param fibers  references to the fibers; empty references count as ended
/// @returns index of the first fiber in the list that has ended
/// @throws Error(kBadArgument) if the list is empty or the caller is among the fibers
/// @throws std::bad_alloc if there is no memory
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(fibers), and one allocation if no fiber has ended yet
/// @thread_safety any thread or fiber, concurrently
inline std::size_t wait_any(std::span<const FiberRef> fibers) {
  return *detail::wait_any(fibers, os::kNever);
}
/// Waits until at least one fiber has ended.
///
/// @param fibers  references to the fibers; empty references count as ended
/// @returns index of the first fiber in the list that has ended
/// @throws Error(kBadArgument) if the list is empty or the caller is among the fibers
/// @throws std::bad_alloc if there is no memory
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(fibers), and one allocation if no fiber has ended yet
/// @thread_safety any thread or fiber, concurrently
inline std::size_t wait_any(std::initializer_list<FiberRef> fibers) {
  return wait_any(std::span(fibers.begin(), fibers.end()));
}
/// Waits for a limited time until at least one fiber has ended.
///
/// @param fibers  references to the fibers; empty references count as ended
/// @param timeout  longest time to wait; 0 or less makes the call a poll
/// @returns index of the first fiber in the list that has ended; empty if none has ended in time
/// @throws Error(kBadArgument) if the list is empty, if the caller is among the fibers, or for NaN
/// @throws std::bad_alloc if there is no memory
/// @throws Cancelled if the wait is cancelled
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(fibers), and one allocation if no fiber has ended yet
/// @thread_safety any thread or fiber, concurrently
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> wait_any_for(
    std::span<const FiberRef> fibers, const std::chrono::duration<Rep, Period>& timeout) {
  return detail::wait_any(fibers, detail::to_deadline(timeout));
}

}  // namespace jobs::inline JOBS_ABI
