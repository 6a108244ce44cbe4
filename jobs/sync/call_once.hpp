// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::call_once() and jobs::OnceFlag.
#pragma once

#include <concepts>
#include <functional>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/sync/core/lock_holder.hpp"
#include "jobs/sync/core/lock_owner.hpp"
#include "jobs/sync/core/semaphore_core.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::once_order {
// [call_once.1] The effects of the function are visible after each return of call_once().
JOBS_ORDER(kDone, release);    // partner: kIsDone
JOBS_ORDER(kIsDone, acquire);  // partner: kDone
}  // namespace detail::once_order

/// Remembers whether jobs::call_once() has called its function.
///
/// Destruction while a fiber is inside call_once() aborts.
///
/// @snippet sync.cpp call_once
class JOBS_EXPORT OnceFlag {
 public:
  /// Creates a flag without a call.
  ///
  /// @complexity O(1), no allocation
  OnceFlag() noexcept = default;

  /// Destroys the flag; aborts while a fiber is inside call_once().
  ///
  /// @complexity O(1)
  ~OnceFlag() {
    if (turn_.state().word != detail::WaitState::of(1).word) [[unlikely]]
      destroyed_in_use();
  }

  OnceFlag(const OnceFlag&) = delete;
  OnceFlag& operator=(const OnceFlag&) = delete;

 private:
  friend const void* detail::owner_of(const detail::WaitSite& site) noexcept;
  template <class F, class... Args>
    requires std::invocable<F, Args...>
  friend JOBS_TAG_OF_MODE void call_once(OnceFlag& flag, F&& function, Args&&... args);

  // Spans one call of the function: from a begin() that returned true to the end of the call, an
  // exception included.
  struct Turn {
    OnceFlag& flag;
    bool succeeded = false;
    ~Turn() { flag.end(succeeded); }
  };

  bool is_done() const noexcept { return done_.load(detail::once_order::kIsDone); }
  // Returns false if another fiber has completed the call meanwhile.
  bool begin();
  void end(bool succeeded) noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  // The permit to call the function.
  detail::SemaphoreCore turn_{1};
  detail::LockOwner caller_;
  detail::Atomic<bool> done_{false};
};

/// Calls `function(args...)` once per flag; concurrent callers wait for its end.
///
/// The first caller runs the function; the remaining callers suspend (an external thread is
/// parked). If the function throws, its caller receives the exception, and the next waiter calls
/// the function. The function may wait. A nested call with the same flag, from within the function,
/// aborts.
///
/// `std::call_once` and a function-local static would block the worker in place of the fiber.
///
/// @param flag  flag of the function
/// @param function  callable with `args`
/// @param args  arguments of the function
/// @throws the exception of the function
/// @throws Error(kNoStack) or Cancelled before anything has changed, see \ref waiting
/// @complexity O(1), no allocation; one load after the function has been called
/// @thread_safety any thread or fiber, concurrently
template <class F, class... Args>
  requires std::invocable<F, Args...>
void call_once(OnceFlag& flag, F&& function, Args&&... args) {
  if (flag.is_done() || !flag.begin()) return;
  OnceFlag::Turn turn{flag};
  std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
  turn.succeeded = true;
}

// Readable errors for wrong calls.
/// @cond
JOBS_REFUSE_OTHER_CALLS(call_once,
                        "takes a jobs::OnceFlag, a function, and arguments of the function")
template <class F, class... Args>
  requires(!std::invocable<F, Args...>)
auto call_once(OnceFlag&, F&&, Args&&...) {
  static_assert(detail::kNever<F>,
                "jobs::call_once: function must be callable with the arguments that follow it");
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI
