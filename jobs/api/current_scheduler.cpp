// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The free functions of jobs/scheduler.hpp and jobs/default_scheduler.hpp, for the scheduler of the
// calling thread and for the default scheduler. They stand apart from the class Scheduler, because
// its constructor refers to the watchdog.
#include <optional>
#include <utility>

#include "jobs/default_scheduler.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

Scheduler& Scheduler::current() { return of(detail::current_core()); }
Scheduler& default_scheduler() { return Scheduler::of(detail::default_core()); }
void set_default_options(SchedulerOptions options) {
  if (options.bind_caller || options.mode != SchedulerMode::kFibers)
    throw Error(ErrorCode::kBadArgument,
                "bind_caller, mode: the default scheduler binds no thread, and is of mode kFibers");
  detail::set_default_core_options(std::move(options));
}
void quiesce() { detail::current_core().quiesce(); }
void shutdown_default() {
  detail::default_core().shutdown();
  detail::release_default_library();
}
bool detail::shutdown_default_before(os::Nanoseconds deadline) {
  if (!default_core().shutdown_before(deadline)) return false;
  release_default_library();
  return true;
}
unsigned worker_count() { return detail::current_core().worker_count(); }
std::optional<unsigned> worker_index() noexcept {
  const detail::WorkerContext* const context = detail::this_context();
  return context != nullptr && !context->is_external() ? std::optional(context->worker()->index())
                                                       : std::nullopt;
}

}  // namespace jobs::inline JOBS_ABI
