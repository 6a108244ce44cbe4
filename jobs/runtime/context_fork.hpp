// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ForkContext, and the children of fork_join(context, ...): as in fork.hpp, but each is told by whom it is run, so that nobody
// looks that up. See fork_context.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobs/base/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job_result.hpp"
#include "jobs/runtime/lane.hpp"

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
    if (detail::this_thread().lane != lane_)
      detail::breach("ForkContext", lane_, "used on another thread than the one that it was given to");
#endif
    return *lane_;
  }

 private:
  detail::Lane* lane_;
};

namespace detail {

template <class F>
using ContextResult = Result<std::function<std::invoke_result_t<F, ForkContext>()>>;

template <class F>
JOBS_ALWAYS_INLINE ContextResult<F&> invoke_with(F& f, ForkContext context) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, ForkContext>>) {
    std::invoke(f, context);
    return {};
  } else {
    return std::invoke(f, context);
  }
}

template <class F>
class ContextJob final : public Job {
 public:
  using R = ContextResult<F&>;

  explicit ContextJob(F& closure) noexcept : Job(&execute), closure_(hold(closure)) {}

  JOBS_COLD R wait() {
    join();
    return result_.take();
  }
  // Not told of the original, which would have an address then.
  JOBS_COLD void abandon(Lane& lane) noexcept {
    if (lane.pop_if(*this)) {
      set_result(lane);
    } else {
      join();
    }
    result_.drop();
  }

 private:
  static constexpr bool kCopied = std::is_trivially_copyable_v<F> && sizeof(F) <= 64;
  using Held = std::conditional_t<kCopied, F, F*>;

  static Held hold(F& closure) noexcept {
    if constexpr (kCopied) {
      return closure;
    } else {
      return &closure;
    }
  }
  void set_result(Lane& lane) noexcept {
    auto call = [&]() -> R {
      if constexpr (kCopied) {
        return invoke_with(closure_, ForkContext(lane));
      } else {
        return invoke_with(*closure_, ForkContext(lane));
      }
    };
    result_.set(call);
  }
  static void execute(Job& job) {
    auto& self = static_cast<ContextJob&>(job);
    self.set_result(*this_thread().lane);
    self.finish();
  }

  Held closure_;
  JobResult<R> result_;
};

// The same pointer, of which the compiler does not know that: it would keep all that it has worked out from it in registers across a
// call, which each function saves and restores.
template <class T>
JOBS_ALWAYS_INLINE T* unrelated(T* pointer) noexcept {
#if defined(__GNUC__)
  asm("" : "+r"(pointer));
#endif
  return pointer;
}

// As fork_two().
template <class First, class Second, class Combine>
JOBS_ALWAYS_INLINE auto fork_two_with(ForkContext context, First&& first, Second& second, Combine&& combine) {
  Lane& lane = context.lane();
  ContextJob<Second> job(second);
  lane.push(job);
  auto left = [&] {
    try {
      return first();
    } catch (...) {
      job.abandon(lane);
      throw;
    }
  }();
  Lane& same = *unrelated(&lane);
  if (same.pop_if(*unrelated(&job))) [[likely]]
    return combine(std::move(left), invoke_with(second, ForkContext(same)));
  return combine(std::move(left), job.wait());
}

// As fork_prefix() of fork_join.hpp.
template <std::size_t kCount, class Functions>
JOBS_ALWAYS_INLINE auto fork_prefix_with(ForkContext context, Functions& functions) {
  auto& last = std::get<kCount - 1>(functions);
  using Last = ContextResult<decltype(last)>;
  if constexpr (kCount == 1) {
    return std::tuple<Last>(invoke_with(last, context));
  } else {
    return fork_two_with(
        context, [&] { return fork_prefix_with<kCount - 1>(context, functions); }, last,
        [](auto&& prefix, Last&& result) {
          return std::tuple_cat(std::move(prefix), std::tuple<Last>(std::forward<Last>(result)));
        });
  }
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
