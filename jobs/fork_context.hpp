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
#include <functional>
#include <tuple>
#include <type_traits>

#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/result.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"

namespace jobs::inline JOBS_ABI {

// Whose job this is: of the worker, or the guest, that runs it. A pointer, to be passed by value. It is good on that thread only, as
// long as the closure that got it runs: a job never leaves its thread, so any function that it calls may have it, a child that it
// forks or spawns may not.
class ForkContext {
 public:
  // For fork_join(); others get theirs as an argument.
  explicit ForkContext(detail::Lane& lane) noexcept : lane_(&lane) {}
  detail::Lane& lane() const noexcept {
#if !defined(NDEBUG)
    if (detail::this_context() != lane_)
      detail::breach("ForkContext", lane_, "used on another thread than the one that it was given to");
#endif
    return *lane_;
  }

 private:
  detail::Lane* lane_;
};

namespace detail JOBS_OF_MODE {

// Tells a child by whom it is run.
struct CallWithContext {
  template <class F>
  JOBS_ALWAYS_INLINE static Result<F&, ForkContext> call(F& f, Lane& lane) {
    return invoke_result(f, ForkContext(lane));
  }
  template <class F>
  static Result<F&, ForkContext> call_here(F& f) {
    return call(f, *this_context());
  }
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

// Returns f(context of the calling job). Any thread; one that belongs to no scheduler is a guest of the default one meanwhile, as in
// fork_join(f, g). Throws what f throws, and Error(kStopped) from an unbound thread after shutdown_default().
template <std::invocable<ForkContext> F>
std::invoke_result_t<F&, ForkContext> with_fork_context(F&& f) {
  return detail::with_lane(
      [&](detail::Lane& lane) -> std::invoke_result_t<F&, ForkContext> { return std::invoke(f, ForkContext(lane)); });
}

// As fork_join(f, g, ...) of fork_join.hpp, and each argument is called with a ForkContext.
template <std::invocable<ForkContext>... F>
requires(sizeof...(F) >= 2) JOBS_ALWAYS_INLINE auto fork_join(ForkContext context, F&&... f)
    -> std::tuple<Result<F, ForkContext>...> {
  std::tuple<F&...> functions(f...);
  return detail::fork_prefix<detail::CallWithContext, sizeof...(F)>(context.lane(), functions);
}

// Wrong calls (jobs/base/wrong_call.hpp).
template <class... F>
requires(sizeof...(F) < 2 || !(std::invocable<F, ForkContext> && ...)) auto fork_join(ForkContext, F&&...) {
  static_assert(sizeof...(F) >= 2, "jobs::fork_join: takes two functions or more after the context");
  static_assert(sizeof...(F) < 2 || (std::invocable<F, ForkContext> && ...),
                "jobs::fork_join: after a context, each function must be callable as f(jobs::ForkContext)");
  return std::tuple<std::conditional_t<false, F, detail::Anything>...>();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
