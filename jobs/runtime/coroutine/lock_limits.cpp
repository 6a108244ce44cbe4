// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/lock_limits.hpp"

#include "jobs/base/chaos.hpp"
#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The home of the limits: a limit that passes sends its wake-up there.
class LockLimits::Home final : public CoroutineHome {
 public:
  static FiberCore& fiber() noexcept { return fiber_of<Home>(); }

 private:
  void post(Wakeup& wakeup) noexcept override {
    static_cast<LockLimits&>(*static_cast<Waiter&>(wakeup).selection).pass();
  }
};

bool LockLimits::withdraw() noexcept {
  if (!unlink_(list_, waiter_)) return false;
  has_ended_ = true;
  return true;
}

void LockLimits::pass() noexcept {
  is_over_.store(true, lock_limits_order::kOver);
  chaos::inject_delay();
  if (withdraw()) wake(waiter_);
}

bool LockLimits::linked() noexcept {
  if (!is_watched_) {
    is_watched_ = true;
    links_ = link_alternatives(alternatives(), *this, Home::fiber());
    if (links_.undecided == nullptr) return false;
    is_over_.store(true, lock_limits_order::kOver);  // the stop was requested before
  } else if (!is_over_.load(lock_limits_order::kOver)) {
    return false;
  }
  return withdraw();
}

bool LockLimits::finish() noexcept {
  if (is_watched_) {
    static_cast<void>(claim(none));  // a limit that passes later is dropped
    settle_alternatives(alternatives(), *this, links_);
  }
  stop_.reset();
  return !has_ended_;
}

}  // namespace jobs::inline JOBS_ABI::detail
