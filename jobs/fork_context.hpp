// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork_join(context, f, g, ...): fork_join for those who want the last nanosecond. The worker that runs a piece of work is handed down
// as an argument, so that no fork has to find out where it is.
//
//   long fib(jobs::ForkContext context, int n) {
//     if (n < 2) return n;
//     const auto [a, b] = jobs::fork_join(context, [n](jobs::ForkContext here) { return fib(here, n - 1); },
//                                         [n](jobs::ForkContext here) { return fib(here, n - 2); });
//     return a + b;
//   }
//   const long result = jobs::with_fork_context([](jobs::ForkContext context) { return fib(context, 40); });
//
// Each child gets the context of the worker that runs it, and uses that one: in builds without NDEBUG the program aborts if a context
// is used on another thread than its own. In others that is undefined.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/runtime/context_fork.hpp"
#include "jobs/runtime/guest.hpp"

namespace jobs::inline JOBS_ABI {

// Returns f(context of the calling job). Any thread; one that belongs to no scheduler is a guest of the default one meanwhile, as in
// fork_join(f, g). Throws what f throws, and Error(kStopped) from an unbound thread after shutdown_default().
template <std::invocable<ForkContext> F>
std::invoke_result_t<F&, ForkContext> with_fork_context(F&& f) {
  return detail::with_lane(
      [&](detail::Lane& lane) -> std::invoke_result_t<F&, ForkContext> { return std::invoke(f, ForkContext(lane)); });
}

// As fork_join(f, g, ...) of fork_join.hpp: results, exceptions and what is promised are the same, but for small closures with a state:
// if f throws, those that have not run yet may be called as copies. Each argument is called with a ForkContext.
template <std::invocable<ForkContext>... F>
requires(sizeof...(F) >= 2) JOBS_ALWAYS_INLINE auto fork_join(ForkContext context, F&&... f)
    -> std::tuple<detail::ContextResult<F>...> {
  std::tuple<F&...> functions(f...);
  return detail::fork_prefix_with<sizeof...(F)>(context, functions);
}

}  // namespace jobs::inline JOBS_ABI
