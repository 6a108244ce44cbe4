// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SwitchHooks: passes switches on to the user's hooks and to the account of each fiber's run time.
#pragma once

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/fiber_control.hpp"
#include "jobs/runtime/scheduler_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SwitchHooks final : public SwitchObserver {
 public:
  explicit SwitchHooks(const SchedulerOptions& options) noexcept : options_(options) {}

  bool wanted() const noexcept { return options_.on_suspend || options_.on_resume || options_.account_run_time; }

  void on_suspend(FiberCore& fiber) noexcept override {
    if (FiberControl* const control = fiber.control; control != nullptr && options_.account_run_time) {
      control->account->run_time.add(static_cast<std::uint64_t>(os::now() - control->account->resumed_at));
    }
    if (options_.on_suspend) options_.on_suspend(FiberId{fiber.id});
  }
  void on_resume(FiberCore& fiber) noexcept override {
    if (options_.on_resume) options_.on_resume(FiberId{fiber.id});
    if (FiberControl* const control = fiber.control; control != nullptr && options_.account_run_time) {
      control->account->resumed_at = os::now();
    }
  }

 private:
  const SchedulerOptions& options_;
};

}  // namespace jobs::inline JOBS_ABI::detail
