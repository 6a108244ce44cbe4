// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// blocking(): for what blocks its thread: a system call, a lock of another library, a device. The calling fiber is suspended while
// a thread of the scheduler's blocking pool runs the function, and its worker goes on with other jobs.
//
//   const std::string answer = jobs::blocking([&] { return database.query(text); });
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

// Whether the caller's thread has other jobs to go on with.
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

// Calls function(), or function(std::stop_token) with the token of the calling Fiber, and returns its result or throws what it threw.
// Runs at once on an idle thread of the pool, or on one that is started for it; if SchedulerOptions::max_blocking_threads are at
// work it waits for its turn, first come, first served. So functions that wait for one another need as many threads as they are.
// Outside of the workers (external threads, guests, inside another blocking()) it is called in place: there is no worker to hold up.
//
// The function runs on a thread that belongs to no scheduler: thread_local variables are not those of the worker, and what it spawns
// goes to the default scheduler. It may use every wait of this library. It cannot be interrupted: a deadline or a stop is its own
// matter. Costs a hand-over to a thread and back, some 10 us; shorter calls are better made in place.
//
// Throws Error(kNoStack), and std::system_error if no thread at all can be started; the function was not called then.
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

// Wrong calls (jobs/base/wrong_call.hpp).
template <class F>
requires(!std::invocable<F&> && !std::invocable<F&, std::stop_token>) auto blocking(F&&) {
  static_assert(detail::kNever<F>, "jobs::blocking: function must be callable as f() or f(std::stop_token)");
  return detail::Anything();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
