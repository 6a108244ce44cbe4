// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// wait_all(), wait_any(): for the ends of several fibers. Results stay for Fiber::join().
//
//   jobs::Fiber<Page> a([&] { return fetch(mirror_a); }), b([&] { return fetch(mirror_b); });
//   Page page = (jobs::wait_any({a, b}) == 0 ? a : b).join();  // the other one is stopped at the end of the scope
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
JOBS_EXPORT std::optional<std::size_t> wait_any(std::span<const FiberRef> fibers, os::Nanoseconds deadline);
}

// Returns when all have ended. Throws Cancelled, Error(kBadArgument) if the caller is among them, Error(kNoStack). O(fibers).
inline void wait_all(std::span<const FiberRef> fibers) {
  for (const FiberRef& fiber : fibers) fiber.wait();
}
inline void wait_all(std::initializer_list<FiberRef> fibers) { wait_all(std::span(fibers.begin(), fibers.end())); }

// Returns when at least one has ended: the index of the first such one in the list. The same exceptions; Error(kBadArgument) also for
// an empty list. O(fibers), and one allocation if none has ended yet.
inline std::size_t wait_any(std::span<const FiberRef> fibers) { return *detail::wait_any(fibers, os::kNever); }
inline std::size_t wait_any(std::initializer_list<FiberRef> fibers) {
  return wait_any(std::span(fibers.begin(), fibers.end()));
}
// As wait_any(); nothing: none had ended in time.
template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> wait_any_for(std::span<const FiberRef> fibers,
                                                      const std::chrono::duration<Rep, Period>& timeout) {
  return detail::wait_any(fibers, detail::to_deadline(timeout));
}

}  // namespace jobs::inline JOBS_ABI
