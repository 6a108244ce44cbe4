// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/scheduler.hpp"

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI {

Scheduler::Scheduler(SchedulerOptions options) : core_(std::make_unique<detail::SchedulerCore>(std::move(options))) {}
Scheduler::~Scheduler() = default;
void Scheduler::shutdown() { core_->shutdown(); }
void Scheduler::run_main_thread_jobs() { core_->run_main_thread_jobs(); }
unsigned Scheduler::worker_count() const noexcept { return core_->worker_count(); }
Stats Scheduler::stats() const { return core_->stats(); }
std::vector<StackUse> Scheduler::stack_use() const { return core_->stack_use(); }
void Scheduler::trim(std::size_t but) { core_->trim(but); }
std::string Scheduler::describe() const { return core_->describe(); }

void shutdown_default() { detail::default_core().shutdown(); }
unsigned worker_count() { return detail::current_core().worker_count(); }
std::optional<unsigned> worker_index() noexcept {
  const detail::Lane* const lane = detail::this_thread().lane;
  return lane != nullptr && !lane->is_guest() ? std::optional(lane->worker()->index()) : std::nullopt;
}

namespace detail {

#if !defined(JOBS_SIMULATED)  // each simulation has its own
SchedulerCore& default_core() {
  // Never destroyed: no order of static destructors to get wrong.
  static SchedulerCore* const core = new SchedulerCore(SchedulerOptions{});
  return *core;
}
#endif

SchedulerCore& current_core() {
  const Lane* const lane = this_thread().lane;
  return lane != nullptr ? lane->core() : default_core();
}

bool runs_on(const SchedulerCore& core) noexcept { return core.is_own_worker(); }
void submit(SchedulerCore& core, Job& job) { core.submit(job); }
void submit_placed(SchedulerCore& core, Job& job, JobMessage& message, const SpawnOptions& options) {
  core.submit_placed(job, message, options);
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
