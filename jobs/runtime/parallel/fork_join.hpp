// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ForkJob: a child of fork_join or parallel_reduce, on the stack of the frame that joins it. It
// needs no allocation and no reference count.
//
// Owner: the joining frame. The joiner pushes the job; then exactly one of two cases holds:
//
//   step 1a: the joiner pops the job and calls the original closure in place;
//   step 1b: a thief steals the job and runs the closure that the job holds; the joiner joins it.
//
// While a recorder shows forks, a marker lies above the job in the deque. Then step 1a fails, and
// the joiner runs the job as a thief does (WorkerContext::run_marked()).
//
// Threads: the joiner calls all public functions; the thief calls execute() only.
//
// The job keeps a *copy* of a small closure, and the joiner calls the *original*. The copy escapes
// to the thief. The original does not escape, so the compiler keeps its captures in registers (g++
// 12: 2.6 ns per fork instead of 5.9 ns). The job refers to a larger closure.
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

// Returns f(arguments...), or std::monostate if f returns void.
template <class F, class... Arguments>
JOBS_ALWAYS_INLINE Result<F&, Arguments...> invoke_result(F& f, Arguments... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, Arguments...>>) {
    detail::invoke(f, arguments...);
    return {};
  } else {
    return detail::invoke(f, arguments...);
  }
}

// The default way to call a child: call() with the joiner's context, call_here() on the thread that
// runs the job. Neither passes an argument.
struct CallAlone {
  template <class F>
  JOBS_ALWAYS_INLINE static Result<F&> call(F& f, WorkerContext&) {
    return invoke_result(f);
  }
  template <class F>
  static Result<F&> call_here(F& f) {
    return invoke_result(f);
  }
};

// True if a job keeps a copy of the closure.
template <class F>
inline constexpr bool is_copied =
    std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> && sizeof(F) <= 64;

template <class F, class Call>
class ForkJob final : public Job {
 public:
  using R = decltype(Call::call_here(std::declval<F&>()));

  explicit ForkJob(F& closure) noexcept : Job(&execute), closure_(hold(closure)) {}

  // Waits for the stolen job, and returns its result or rethrows its exception. Joiner, once.
  JOBS_COLD R wait() {
    // Null in a child of the process, whose join() reports the mistake.
    WorkerContext* const context = this_context();
    if (context == nullptr || !context->run_marked(*this)) join();
    return result_.take();
  }
  // Runs the job, or waits for it if it was stolen, and drops its result or exception. Joiner,
  // once, instead of wait(). It has no reference to the original closure: a reference would give
  // the original an address.
  JOBS_COLD void abandon(WorkerContext& context) noexcept {
    if (context.pop_if(*this)) {
      set_result();
    } else if (!context.run_marked(*this)) {
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

// Returns the same pointer; the compiler does not know that the two are equal. Otherwise it would
// keep values derived from the pointer in registers across a call, and each function would save and
// restore these registers.
template <class T>
JOBS_ALWAYS_INLINE T* unrelated(T* pointer) noexcept {
  asm("" : "+r"(pointer));
  return pointer;
}

// Calls first() on this thread, and second() on this thread or on a thief. Waits for both, and
// returns combine() of both results. Rethrows the exception of first, otherwise the exception of
// second. Caller: the owner of the context.
template <class Call = CallAlone, class First, class Second, class Combine>
JOBS_ALWAYS_INLINE auto fork_two(WorkerContext& context, First&& first, Second& second,
                                 Combine&& combine) {
  ForkJob<Second, Call> job(second);
  context.push(job);
  auto left = [&] {
    JOBS_TRY { return first(); }
    JOBS_CATCH_ALL {
      job.abandon(context);
      JOBS_RETHROW;
    }
  }();
  WorkerContext& same = *unrelated(&context);
  if (same.pop_if(*unrelated(&job))) [[likely]]
    return combine(std::move(left), Call::call(second, same));
  return combine(std::move(left), job.wait());
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
