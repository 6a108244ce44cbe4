// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The free functions of jobs/scheduler.hpp, for the scheduler of the calling thread. They stand apart
// from the class Scheduler, whose constructor refers to the watchdog.
#include <optional>

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

void quiesce() { detail::current_core().quiesce(); }
void shutdown_default() {
  detail::default_core().shutdown();
  detail::let_unload_default();
}
unsigned worker_count() { return detail::current_core().worker_count(); }
std::optional<unsigned> worker_index() noexcept {
  const detail::Lane* const lane = detail::this_context();
  return lane != nullptr && !lane->is_guest() ? std::optional(lane->worker()->index()) : std::nullopt;
}

}  // namespace jobs::inline JOBS_ABI
