// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TracedSwitches: records the suspensions and resumptions of fibers, and forwards them to the hooks
// of their scheduler. The workers of the scheduler call it concurrently, each for its own fibers.
//
// TracedWaits: records what ends the waits of fibers and external threads, and the waits for locks.
// The recorder installs it while a recording is active. Any thread calls it.
#pragma once

#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class TracedSwitches final : public jobs::detail::SwitchObserver {
 public:
  // Returns the observer for `hooks`, which may be null. It is never destroyed: a fiber may switch
  // until the process ends. Any thread. Throws std::bad_alloc.
  static TracedSwitches* of(jobs::detail::SwitchObserver* hooks);

  constexpr explicit TracedSwitches(jobs::detail::SwitchObserver* hooks) noexcept : hooks_(hooks) {}

  void on_suspend(jobs::detail::FiberCore& fiber) noexcept override;
  void on_resume(jobs::detail::FiberCore& fiber) noexcept override;

 private:
  jobs::detail::SwitchObserver* const hooks_;
};

class TracedWaits final : public jobs::detail::WaitObserver {
 public:
  static TracedWaits& instance() noexcept;

  constexpr explicit TracedWaits(TracedSwitches& switches) noexcept : WaitObserver(switches) {}

  void on_ready(const jobs::detail::FiberCore& fiber, unsigned signal) noexcept override;
  void on_wake(const jobs::detail::FiberHost& host,
               const jobs::detail::Wakeup& wakeup) noexcept override;
  void on_lock_wait(const void* lock, const void* owner) noexcept override;
  void on_lock_wait_end(const void* lock, bool is_owner) noexcept override;
  void on_unlock(const void* lock) noexcept override;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
