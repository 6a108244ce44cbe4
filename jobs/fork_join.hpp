// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork_join(f, g, ...): runs its arguments, possibly in parallel, and returns when all have ended.
//
//   auto [left, right] = jobs::fork_join([&] { return sum(a); }, [&] { return sum(b); });
//
// Any thread may call it, from within jobs and nested to any depth. An external thread that is not bound to a scheduler runs its
// share in place as a guest of the default scheduler. Promised: f runs on the calling fiber, the others there or on other
// workers; none is left running. Not promised: any order between them.
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

// Forks the last, then treats the others alike: the last to be forked is the first to be joined, and exceptions of lower indices
// go first by nesting.
template <class Call, std::size_t kCount, class Functions>
JOBS_ALWAYS_INLINE auto fork_prefix(Lane& lane, Functions& functions) {
  auto& last = std::get<kCount - 1>(functions);
  using Last = decltype(Call::call(last, lane));
  if constexpr (kCount == 1) {
    return std::tuple<Last>(Call::call(last, lane));
  } else {
    return fork_two<Call>(
        lane, [&] { return fork_prefix<Call, kCount - 1>(lane, functions); }, last,
        [](auto&& prefix, Last&& result) {
          return std::tuple_cat(std::move(prefix), std::tuple<Last>(std::forward<Last>(result)));
        });
  }
}

// A temporary that is small is passed by value: its address would escape, and the compiler would keep it in memory on the fast path,
// too.
template <class F>
using Passed = std::conditional_t<!std::is_lvalue_reference_v<F> && is_copied<std::remove_reference_t<F>>,
                                  std::remove_reference_t<F>, F&>;

template <class... F>
JOBS_COLD auto fork_as_guest(F... f) {
  std::tuple<F&...> functions(f...);
  const auto fork = [&](Lane& lane) { return fork_prefix<CallAlone, sizeof...(F)>(lane, functions); };
  return as_guest(fork);
}

}  // namespace detail

class ForkContext;

JOBS_OF_MODE_BEGIN

// Returns the results in the order of the arguments; void becomes std::monostate, references stay references. Costs no
// allocation and, while no worker looks for work, no read-modify-write for a child that is not stolen. If some throw, all are waited for,
// then the exception of the first of them in argument order is rethrown and the others are dropped; small closures that run
// after that are called as copies. Throws Error(kStopped) from
// an unbound thread after shutdown_default().
//
// Source: the structured spawn and sync of Frigo, Leiserson, Randall, "The implementation of the Cilk-5 multithreaded language",
// PLDI 1998; child stealing, joins that suspend the fiber.
template <std::invocable... F>
requires(sizeof...(F) >= 2) auto fork_join(F&&... f) -> std::tuple<Result<F>...> {
  if (detail::Lane* const lane = detail::this_context()) [[likely]] {
    std::tuple<F&...> functions(f...);
    return detail::fork_prefix<detail::CallAlone, sizeof...(F)>(*lane, functions);
  }
  return detail::fork_as_guest<detail::Passed<F>...>(f...);
}

// Wrong calls (jobs/base/wrong_call.hpp).
template <class... F>
requires((sizeof...(F) < 2 || !(std::invocable<F> && ...)) &&
         !std::same_as<std::remove_cvref_t<typename detail::FirstOf<F...>::Type>, ForkContext>) auto fork_join(F&&...) {
  static_assert(sizeof...(F) >= 2, "jobs::fork_join: takes two functions or more");
  static_assert(sizeof...(F) < 2 || (std::invocable<F> && ...),
                "jobs::fork_join: each function must be callable without arguments");
  return std::tuple<std::conditional_t<false, F, detail::Anything>...>();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
