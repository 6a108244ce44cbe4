// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// fork_join() with a context argument, for the finest-grained recursion.
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

/// Handle to the worker that runs the current job, for the fastest fork_join().
///
/// The context is passed down as an argument, so that no fork has to look up the current worker. It
/// is a pointer; pass it by value.
///
/// A context is valid on its thread only, and only while the closure that received it runs. A job
/// never leaves its thread, so the closure may pass its context to any function that it calls. It
/// must not pass the context to a child that it forks or spawns: each child receives the context of
/// the worker that runs the child. Builds without `NDEBUG` abort if a context is used on another
/// thread; other builds have undefined behaviour.
///
/// @snippet loops.cpp fork_context
class ForkContext {
 public:
  /// @cond internal
  // For the library; a user's function receives its context as an argument.
  explicit ForkContext(detail::WorkerContext& worker_context) noexcept
      : worker_context_(&worker_context) {}
  detail::WorkerContext& worker_context() const noexcept {
#if !defined(NDEBUG)
    if (detail::this_context() != worker_context_)
      detail::contract_violation("ForkContext", worker_context_,
                                 "used on another thread than the one that it was given to");
#endif
    return *worker_context_;
  }
  /// @endcond

 private:
  detail::WorkerContext* worker_context_;
};

namespace detail JOBS_OF_MODE {

// Calls a child with the context of the worker that runs it.
struct CallWithContext {
  template <class F>
  JOBS_ALWAYS_INLINE static Result<F&, ForkContext> call(F& f, WorkerContext& worker_context) {
    return invoke_result(f, ForkContext(worker_context));
  }
  template <class F>
  static Result<F&, ForkContext> call_here(F& f) {
    return call(f, *this_context());
  }
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls f with the context of the calling job.
///
/// An external thread that belongs to no scheduler is an external participant of the default
/// scheduler for the duration of the call, as in fork_join().
///
/// @param f  function that takes a ForkContext
/// @returns the result of f
/// @throws exception that f throws
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @complexity O(1), beside f
/// @thread_safety any thread or fiber, concurrently
template <std::invocable<ForkContext> F>
std::invoke_result_t<F&, ForkContext> with_fork_context(F&& f) {
  return detail::with_context(
      [&](detail::WorkerContext& worker_context) -> std::invoke_result_t<F&, ForkContext> {
        return std::invoke(f, ForkContext(worker_context));
      });
}

/// Runs all functions, possibly in parallel, each with a context as its argument.
///
/// The overload has the guarantees of fork_join() without a context. Each function receives the
/// context of the worker that runs it.
///
/// @param context  context of the calling job; must be valid on the calling thread
/// @param f  two or more functions that take a ForkContext
/// @returns tuple of the results in argument order; `void` becomes std::monostate, references stay
///   references
/// @throws exception of the first function, in argument order, that threw
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as fork_join() without a context, less the look-up of the current worker
/// @thread_safety the thread of the context only
template <std::invocable<ForkContext>... F>
  requires(sizeof...(F) >= 2)
JOBS_ALWAYS_INLINE auto fork_join(ForkContext context, F&&... f)
    -> std::tuple<Result<F, ForkContext>...> {
  std::tuple<F&...> functions(f...);
  return detail::fork_prefix<detail::CallWithContext, sizeof...(F)>(context.worker_context(),
                                                                    functions);
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class... F>
  requires(sizeof...(F) < 2 || !(std::invocable<F, ForkContext> && ...))
auto fork_join(ForkContext, F&&...) {
  static_assert(sizeof...(F) >= 2,
                "jobs::fork_join: takes two functions or more after the context");
  static_assert(
      sizeof...(F) < 2 || (std::invocable<F, ForkContext> && ...),
      "jobs::fork_join: after a context, each function must be callable as f(jobs::ForkContext)");
  return std::tuple<std::conditional_t<false, F, detail::Anything>...>();
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
