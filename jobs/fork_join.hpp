// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// fork_join() runs two or more functions in parallel and returns their results.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/result.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// Forks the last function, then handles the remaining prefix in the same way. The last function
// forked is the first one joined, and the nesting gives exceptions of lower indices precedence.
template <class Call, std::size_t kCount, class Functions>
JOBS_ALWAYS_INLINE auto fork_prefix(WorkerContext& context, Functions& functions) {
  auto& last = std::get<kCount - 1>(functions);
  using Last = decltype(Call::call(last, context));
  if constexpr (kCount == 1) {
    return std::tuple<Last>(Call::call(last, context));
  } else {
    return fork_two<Call>(
        context, [&] { return fork_prefix<Call, kCount - 1>(context, functions); }, last,
        [](auto&& prefix, Last&& result) {
          return std::tuple_cat(std::move(prefix), std::tuple<Last>(std::forward<Last>(result)));
        });
  }
}

// A small temporary is passed by value. Otherwise its address would escape, and the compiler would
// keep it in memory on the fast path, too.
template <class F>
using Passed =
    std::conditional_t<!std::is_lvalue_reference_v<F> && is_copied<std::remove_reference_t<F>>,
                       std::remove_reference_t<F>, F&>;

template <class... F>
JOBS_NOINLINE auto fork_as_participant(F... f) {
  std::tuple<F&...> functions(f...);
  const auto fork = [&](WorkerContext& context) {
    return fork_prefix<CallAlone, sizeof...(F)>(context, functions);
  };
  return as_participant(fork);
}

}  // namespace detail

class ForkContext;

JOBS_OF_MODE_BEGIN

/// Runs all functions, possibly in parallel, and returns their results.
///
/// The first function runs on the calling fiber; the other functions run there or on other workers,
/// in any order. The call returns when every function has ended. Calls nest to any depth, and jobs
/// may call it. An external thread that is not bound to a scheduler runs its share in place, as an
/// external participant of its current scheduler.
///
/// If several functions throw, the call waits for all of them. Then it rethrows the exception of
/// the first one in argument order and drops the other exceptions. Small closures that run after an
/// exception are called as copies.
///
/// @snippet loops.cpp fork_join
///
/// Source: the structured spawn and sync of Frigo, Leiserson, Randall, "The implementation of the
/// Cilk-5 multithreaded language", PLDI 1998; with child stealing, and joins that suspend the
/// fiber.
///
/// @param f  two or more functions that take no argument
/// @returns tuple of the results in argument order; `void` becomes std::monostate, references stay
///   references
/// @throws exception of the first function, in argument order, that threw
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity no allocation; a function that is not stolen costs no atomic read-modify-write, as
///   long as no worker searches for work
/// @thread_safety any thread or fiber, concurrently
template <std::invocable... F>
  requires(sizeof...(F) >= 2)
auto fork_join(F&&... f) -> std::tuple<Result<F>...> {
  if (detail::WorkerContext* const context = detail::this_context()) [[likely]] {
    std::tuple<F&...> functions(f...);
    return detail::fork_prefix<detail::CallAlone, sizeof...(F)>(*context, functions);
  }
  return detail::fork_as_participant<detail::Passed<F>...>(f...);
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class... F>
  requires((sizeof...(F) < 2 || !(std::invocable<F> && ...)) &&
           !std::same_as<std::remove_cvref_t<typename detail::FirstOf<F...>::Type>, ForkContext>)
auto fork_join(F&&...) {
  static_assert(sizeof...(F) >= 2, "jobs::fork_join: takes two functions or more");
  static_assert(sizeof...(F) < 2 || (std::invocable<F> && ...),
                "jobs::fork_join: each function must be callable without arguments");
  return std::tuple<std::conditional_t<false, F, detail::Anything>...>();
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
