// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The default scheduler of the process: its start, its library handle, and its renewal after a
// fork.
#include "jobs/runtime/scheduler/default_scheduler.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if !defined(JOBS_SIMULATED)  // Each simulation has a default scheduler of its own.
namespace {

// Never destroyed, so that the order of static destructors has no influence.
struct DefaultCore {
  Atomic<SchedulerCore*> core{nullptr};
  std::mutex starting;
  SchedulerCore* inherited = nullptr;  // The default scheduler of the parent process.
  void* code = nullptr;                // The library: it stays loaded while threads run its code.
};
constinit DefaultCore the_default;

// [default_scheduler.1] The scheduler is constructed before a thread uses it. Partner: kSeeDefault.
JOBS_ORDER(kPublishDefault, release);
JOBS_ORDER(kSeeDefault, acquire);  // [default_scheduler.1] Partner: kPublishDefault.

// Serves as the StartWatchdog of a program that contains no watchdog.
std::unique_ptr<RunningWatchdog> refuse_watchdog(Shared&, WatchLimits) {
  os::write_error(
      "jobs: JOBS_DEADLOCK_MS or JOBS_STALL_MS is set, but this program contains no watchdog: "
      "include jobs/report.hpp\n");
  return nullptr;
}

JOBS_COLD SchedulerCore& start_default_core() {
  const std::scoped_lock lock(the_default.starting);
  if (SchedulerCore* const core = the_default.core.load(std::memory_order_relaxed)) return *core;
  auto core = std::make_unique<SchedulerCore>(
      SchedulerOptions{}, &linked_watchdog != nullptr ? linked_watchdog : &refuse_watchdog);
  the_default.core.store(core.get(), kPublishDefault);
  if (the_default.code == nullptr) the_default.code = os::retain_library();
  return *core.release();
}

}  // namespace

SchedulerCore& default_core() {
  SchedulerCore* const core = the_default.core.load(kSeeDefault);
  return core != nullptr ? *core : start_default_core();
}

void release_default_library() noexcept {
  const std::scoped_lock lock(the_default.starting);
  os::release_library(std::exchange(the_default.code, nullptr));
}

// Renews the mutex, because a thread of the parent may have owned it to start the scheduler.
void forget_default_core() noexcept {
  new (&the_default.starting) std::mutex;
  the_default.inherited = the_default.core.exchange(nullptr, std::memory_order_relaxed);
}
#endif

Shared& default_shared() { return default_core(); }

Shared& current_shared() {
  const WorkerContext* const context = this_context();
  return context != nullptr ? context->shared() : default_core();
}

SchedulerCore& current_core() { return SchedulerCore::of(current_shared()); }

}  // namespace jobs::inline JOBS_ABI::detail
