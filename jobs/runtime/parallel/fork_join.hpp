// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ForkJob: a child of fork_join and of the loops, on the stack of the frame that joins it. No allocation, no reference count:
// pushed, then either popped by the joiner, who calls the original closure in place, or stolen, run elsewhere, and joined.
//
// The job keeps a *copy* of a small closure and the joiner calls the *original*: the copy escapes to the thief, the original does
// not, so the compiler keeps its captures in registers (g++ 12: 2.6 instead of 5.9 ns per fork). Other closures are referenced.
#pragma once

#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/invoke.hpp"
#include "jobs/result.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

// f(arguments...), with void turned into std::monostate.
template <class F, class... Arguments>
JOBS_ALWAYS_INLINE Result<F&, Arguments...> invoke_result(F& f, Arguments... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, Arguments...>>) {
    detail::invoke(f, arguments...);
    return {};
  } else {
    return detail::invoke(f, arguments...);
  }
}

// How a child is called: as it is, by whoever runs it.
struct CallAlone {
  template <class F>
  JOBS_ALWAYS_INLINE static Result<F&> call(F& f, Lane&) {
    return invoke_result(f);
  }
  template <class F>
  static Result<F&> call_here(F& f) {
    return invoke_result(f);
  }
};

// Whether a job keeps a copy of it.
template <class F>
inline constexpr bool is_copied = std::is_trivially_copyable_v<F>&& std::is_copy_constructible_v<F> && sizeof(F) <= 64;

template <class F, class Call>
class ForkJob final : public Job {
 public:
  using R = decltype(Call::call_here(std::declval<F&>()));

  explicit ForkJob(F& closure) noexcept : Job(&execute), closure_(hold(closure)) {}

  // Its result, once it has been joined elsewhere.
  JOBS_COLD R wait() {
    join();
    return result_.take();
  }
  // Waits for it, if it was stolen, or runs it; its result and its exception do not count any more. It is not told of the original, which
  // would have an address then.
  JOBS_COLD void abandon(Lane& lane) noexcept {
    if (lane.pop_if(*this)) {
      set_result();
    } else {
      join();
    }
    result_.drop();
  }

 private:
  using Held = std::conditional_t<is_copied<F>, F, F*>;

  static Held hold(F& closure) noexcept {
    if constexpr (is_copied<F>) {
      return closure;
    } else {
      return &closure;
    }
  }
  void set_result() noexcept {
    auto call = [this]() -> R {
      if constexpr (is_copied<F>) {
        return Call::call_here(closure_);
      } else {
        return Call::call_here(*closure_);
      }
    };
    result_.set(call);
  }
  static void execute(Job& job) {
    auto& self = static_cast<ForkJob&>(job);
    self.set_result();
    this_context()->stolen_forks.add(1);
    self.finish();
  }

  Held closure_;
  JobResult<R> result_;
};

// The same pointer, of which the compiler does not know that: it would keep all that it has worked out from it in registers across a
// call, which each function saves and restores.
template <class T>
JOBS_ALWAYS_INLINE T* unrelated(T* pointer) noexcept {
  asm("" : "+r"(pointer));
  return pointer;
}

// first() here and second() wherever a worker is free; both results. Waits for both, then rethrows first's exception, else
// second's.
template <class Call = CallAlone, class First, class Second, class Combine>
JOBS_ALWAYS_INLINE auto fork_two(Lane& lane, First&& first, Second& second, Combine&& combine) {
  ForkJob<Second, Call> job(second);
  lane.push(job);
  auto left = [&] {
    JOBS_TRY { return first(); }
    JOBS_CATCH_ALL {
      job.abandon(lane);
      JOBS_RETHROW;
    }
  }();
  Lane& same = *unrelated(&lane);
  if (same.pop_if(*unrelated(&job))) [[likely]]
    return combine(std::move(left), Call::call(second, same));
  return combine(std::move(left), job.wait());
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
