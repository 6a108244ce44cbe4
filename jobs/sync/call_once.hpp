// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// call_once: the first to come calls the function, the others wait for it; std::call_once for fibers. A function-local static would
// make them block their workers.
#pragma once

#include <concepts>
#include <functional>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/sync/owner.hpp"
#include "jobs/sync/permits.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::once_order {
// [O1] What the function did is seen by all who return from call_once().
JOBS_ORDER(kDone, release);    // partner: kIsDone
JOBS_ORDER(kIsDone, acquire);  // partner: kDone
}  // namespace detail::once_order

// Remembers whether the function has been called. Destruction while somebody is inside call_once() aborts.
class JOBS_EXPORT OnceFlag {
 public:
  OnceFlag() noexcept = default;
  ~OnceFlag() {
    if (turn_.state().word != detail::WaitState::of(1).word) [[unlikely]]
      destroyed_in_use();
  }

  OnceFlag(const OnceFlag&) = delete;
  OnceFlag& operator=(const OnceFlag&) = delete;

 private:
  friend const void* detail::holder_of(const detail::WaitSite& site) noexcept;
  template <class F, class... Args>
  requires std::invocable<F, Args...>
  friend JOBS_TAG_OF_MODE void call_once(OnceFlag& flag, F&& function, Args&&... args);

  // From begin(), if it is to be called, to the end of the call, however that ends.
  struct Turn {
    OnceFlag& flag;
    bool succeeded = false;
    ~Turn() { flag.end(succeeded); }
  };

  bool is_done() const noexcept { return done_.load(detail::once_order::kIsDone); }
  bool begin();  // false: somebody else has done it meanwhile
  void end(bool succeeded) noexcept;
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::Permits turn_{1};  // to call the function
  detail::Owner caller_;
  detail::Atomic<bool> done_{false};
};

// Calls function(args...) unless a call with this flag has returned before; meanwhile others suspend (an external thread parks). If it
// throws, so does this call, and the next who waits tries. One load once it is done. May be called by jobs, fibers and external
// threads alike; the function may wait. From within the function itself it aborts. Throws Error(kNoStack), before anything has
// changed, as every wait.
template <class F, class... Args>
requires std::invocable<F, Args...>
void call_once(OnceFlag& flag, F&& function, Args&&... args) {
  if (flag.is_done() || !flag.begin()) return;
  OnceFlag::Turn turn{flag};
  std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
  turn.succeeded = true;
}

// Wrong calls.
template <class F, class... Args>
requires(!std::invocable<F, Args...>) auto call_once(OnceFlag&, F&&, Args&&...) {
  static_assert(detail::kNever<F>, "jobs::call_once: function must be callable with the arguments that follow it");
}

}  // namespace jobs::inline JOBS_ABI
