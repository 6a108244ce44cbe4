// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// blocking() runs a call that blocks its thread, on a thread of its own.
#pragma once

#include <concepts>
#include <functional>
#include <stop_token>
#include <type_traits>

#include "jobs/base/wrong_call.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/call_job.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

// Tells whether the thread of the caller has other jobs to continue with.
JOBS_EXPORT bool is_on_worker() noexcept;
// Runs the job on a thread of the blocking pool and waits for it. pre: is_on_worker().
JOBS_EXPORT void run_blocking(Job& job);

JOBS_OF_MODE_BEGIN

template <class F>
std::invoke_result_t<F&> blocking(F& function) {
  if (!is_on_worker()) return std::invoke(function);
  CallJob<F, false> call(function);
  run_blocking(call);
  return call.take();
}

JOBS_OF_MODE_END

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls a function that blocks its thread, while the worker runs other jobs.
///
/// The function suits a system call, a lock of another library, or a device. The calling fiber is
/// suspended. An idle thread of the scheduler's blocking pool runs the function at once, or a
/// thread that is started for it. If SchedulerOptions::max_blocking_threads are at work, the call
/// waits for its turn in FIFO order. Functions that wait for one another therefore need one thread
/// each. On a thread that is not a worker (external threads, external participants, inside of
/// another blocking()), the function is called in place.
///
/// On that thread the scheduler of the caller is the current one, as in a SchedulerScope: spawn(),
/// loops, graphs and Fibers go to it, also while it shuts down, because the shutdown waits for the
/// caller. The function does not see the `thread_local` variables of the worker. It may use every
/// wait of this library. The library cannot interrupt the call, nor its wait for a thread: the
/// function must observe deadlines and stops itself.
///
/// @snippet fibers.cpp blocking
///
/// @param function  callable without arguments, or with the std::stop_token of the calling Fiber
/// @returns result of the function
/// @throws exception that the function threw
/// @throws Error(kNoStack) see @ref waiting; the function was not called
/// @throws std::system_error if no thread at all can be started; the function was not called
/// @complexity two switches between threads, about 10 us; call a shorter function in place
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires std::invocable<F&> || std::invocable<F&, std::stop_token>
decltype(auto) blocking(F&& function) {
  if constexpr (std::invocable<F&>) {
    return detail::blocking(function);
  } else {
    auto with_token = [&function, stop = this_fiber::stop_token()]() -> decltype(auto) {
      return std::invoke(function, stop);
    };
    return detail::blocking(with_token);
  }
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
JOBS_REFUSE_OTHER_CALLS(blocking, "takes one function; a lambda captures its arguments")
template <class F>
  requires(!std::invocable<F&> && !std::invocable<F&, std::stop_token>)
auto blocking(F&&) {
  static_assert(detail::kNever<F>,
                "jobs::blocking: function must be callable as f() or f(std::stop_token)");
  return detail::Anything();
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
