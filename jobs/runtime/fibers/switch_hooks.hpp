// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SwitchHooks: forwards each switch to the hooks of the user, to the account of each fiber's run
// time, and to the check of owned mutexes. Each scheduler owns one; its workers call it
// concurrently, each for the fiber that it suspends or resumes.
#pragma once

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/fibers/held_mutexes.hpp"
#include "jobs/scheduler_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SwitchHooks final : public SwitchObserver {
 public:
  // `keeps_time`: records the time at which a fiber was suspended, for reports.
  SwitchHooks(const SchedulerOptions& options, bool keeps_time) noexcept
      : options_(options), keeps_time_(keeps_time) {}

  bool wanted() const noexcept {
    return options_.on_suspend || options_.on_resume || options_.account_run_time || keeps_time_ ||
           held_mutexes::kChecked;
  }

  void on_suspend(FiberCore& fiber) noexcept override {
    held_mutexes::report(fiber);
    if (keeps_time_) fiber.suspended_at = os::now();
    if (FiberControl::Account* const account = account_of(fiber))
      account->run_time.add(static_cast<std::uint64_t>(os::now() - account->resumed_at));
    if (options_.on_suspend) options_.on_suspend(FiberId{std::uint64_t{fiber.id}});
  }
  void on_resume(FiberCore& fiber) noexcept override {
    if (options_.on_resume) options_.on_resume(FiberId{std::uint64_t{fiber.id}});
    if (FiberControl::Account* const account = account_of(fiber)) account->resumed_at = os::now();
  }

 private:
  // A ThreadFiber has no account: its time is that of its thread.
  static FiberControl::Account* account_of(const FiberCore& fiber) noexcept {
    const FiberControl* const control = FiberControl::of(fiber);
    return control != nullptr ? control->account.get() : nullptr;
  }

  const SchedulerOptions& options_;
  const bool keeps_time_;
};

}  // namespace jobs::inline JOBS_ABI::detail
