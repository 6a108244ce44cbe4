// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler, and the free functions about the current scheduler.
#include "jobs/scheduler.hpp"

#include <memory>
#include <utility>

#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI {

Scheduler::Scheduler(SchedulerOptions options)
    : core_(std::make_unique<detail::SchedulerCore>(std::move(options), &detail::start_watchdog)),
      shared_(core_.get()) {}
// A child process leaks an inherited scheduler on purpose: its threads, and their unfinished
// accesses to it, belong to the parent process.
Scheduler::~Scheduler() {
  if (!core_->is_forked()) return;
  [[maybe_unused]] detail::SchedulerCore* const leaked = core_.release();
}
void Scheduler::shutdown() { core_->shutdown(); }
void Scheduler::run_main_thread_jobs() { core_->run_main_thread_jobs(); }
unsigned Scheduler::worker_count() const noexcept { return core_->worker_count(); }
Stats Scheduler::stats() const { return core_->stats(); }
std::vector<StackUse> Scheduler::stack_use() const { return core_->stack_use(); }
void Scheduler::trim(std::size_t keep) { core_->trim(keep); }
std::string Scheduler::describe() const { return core_->describe(); }

}  // namespace jobs::inline JOBS_ABI
