// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The default scheduler of the process: its options, its start, its library handle, and its renewal
// after a fork.
#include "jobs/runtime/scheduler/default_scheduler.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

void refuse_late_options() {
  throw Error(ErrorCode::kStarted,
              "set_default_options(): the default scheduler was used already; call it before the "
              "first use");
}

#if !defined(JOBS_SIMULATED)  // Each simulation has a default scheduler of its own.
namespace {

// Never destroyed, so that the order of static destructors has no influence.
struct DefaultCore {
  Atomic<SchedulerCore*> core{nullptr};
  std::mutex starting;
  SchedulerCore* inherited = nullptr;  // The default scheduler of the parent process.
  void* code = nullptr;                // The library: it stays loaded while threads run its code.
  const OnHeap<SchedulerOptions>* options = nullptr;  // null: none are set, and no start was tried
  ReadWorkerCpus read_worker_cpus = nullptr;          // null: no options were set
  std::size_t least_stack = 0;  // bytes per stack of a scheduler without options
};
constinit DefaultCore the_default;

// [default_scheduler.1] The scheduler is constructed before a thread uses it. Partner: kSeeDefault.
JOBS_ORDER(kPublishDefault, release);
JOBS_ORDER(kSeeDefault, acquire);  // [default_scheduler.1] Partner: kPublishDefault.

// Serves as the StartWatchdog of a program that contains no watchdog.
std::unique_ptr<RunningWatchdog> refuse_watchdog(Shared&, WatchLimits) {
  os::write_error(
      "jobs: JOBS_DEADLOCK_MS or JOBS_STALL_MS is set, but this program contains no watchdog: "
      "call jobs_scheduler_default() in C, or include jobs/report.hpp\n");
  return nullptr;
}

// Serves as the ReportShutdown of a program that contains no reports.
void report_briefly(Shared&, std::chrono::nanoseconds) noexcept {
  os::write_error(
      "jobs: the default scheduler waits for a job or fiber; to name it, call "
      "jobs_scheduler_default() in C, or include jobs/report.hpp\n");
}

constexpr Diagnostics kNoDiagnostics{&refuse_watchdog, &report_briefly};

JOBS_COLD SchedulerCore& start_default_core() {
  const std::scoped_lock lock(the_default.starting);
  if (SchedulerCore* const core = the_default.core.load(std::memory_order_relaxed)) return *core;
  if (the_default.options == nullptr) {
    SchedulerOptions options;
    options.stack_size = std::max(options.stack_size, the_default.least_stack);
    the_default.options = new OnHeap<SchedulerOptions>(std::move(options));
  }
  auto core = std::make_unique<SchedulerCore>(
      the_default.options->value,
      &linked_diagnostics != nullptr ? *linked_diagnostics : kNoDiagnostics,
      the_default.read_worker_cpus);
  the_default.core.store(core.get(), kPublishDefault);
  if (the_default.code == nullptr) the_default.code = os::retain_library();
  return *core.release();
}

}  // namespace

SchedulerCore& default_core() {
  SchedulerCore* const core = the_default.core.load(kSeeDefault);
  return core != nullptr ? *core : start_default_core();
}

void set_default_core_options(SchedulerOptions&& options) {
  auto chosen = std::make_unique<const OnHeap<SchedulerOptions>>(std::move(options));
  const std::scoped_lock lock(the_default.starting);
  if (the_default.core.load(std::memory_order_relaxed) != nullptr) refuse_late_options();
  delete std::exchange(the_default.options, chosen.release());
  the_default.read_worker_cpus = &read_worker_cpus;
}

void raise_default_stack(std::size_t size) {
  const std::scoped_lock lock(the_default.starting);
  the_default.least_stack = std::max(the_default.least_stack, size);
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

Shared& default_shared() {
  const ThreadScope* const scope = this_thread().scope;
  return scope != nullptr ? scope->shared : default_core();
}

Shared& current_shared() {
  const WorkerContext* const context = this_context();
  return context != nullptr ? context->shared() : default_shared();
}

SchedulerCore& current_core() { return SchedulerCore::of(current_shared()); }

}  // namespace jobs::inline JOBS_ABI::detail
