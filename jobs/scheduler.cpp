// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/scheduler.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
namespace {
void let_unload() noexcept;
}  // namespace
}  // namespace detail

Scheduler::Scheduler(SchedulerOptions options) : core_(std::make_unique<detail::SchedulerCore>(std::move(options))) {}
// What a child process has inherited stays: its threads are the parent's, and so is whatever they were about to do with it.
Scheduler::~Scheduler() {
  if (core_->is_forked()) static_cast<void>(core_.release());
}
void Scheduler::shutdown() { core_->shutdown(); }
void Scheduler::run_main_thread_jobs() { core_->run_main_thread_jobs(); }
unsigned Scheduler::worker_count() const noexcept { return core_->worker_count(); }
Stats Scheduler::stats() const { return core_->stats(); }
std::vector<StackUse> Scheduler::stack_use() const { return core_->stack_use(); }
void Scheduler::trim(std::size_t but) { core_->trim(but); }
std::string Scheduler::describe() const { return core_->describe(); }

void quiesce() { detail::current_core().quiesce(); }
void shutdown_default() {
  detail::default_core().shutdown();
  detail::let_unload();
}
unsigned worker_count() { return detail::current_core().worker_count(); }
std::optional<unsigned> worker_index() noexcept {
  const detail::Lane* const lane = detail::this_thread().lane;
  return lane != nullptr && !lane->is_guest() ? std::optional(lane->worker()->index()) : std::nullopt;
}

namespace detail {

#if !defined(JOBS_SIMULATED)  // each simulation has its own
namespace {

// Never destroyed: no order of static destructors to get wrong.
struct DefaultCore {
  Atomic<SchedulerCore*> core{nullptr};
  std::mutex starting;
  SchedulerCore* inherited = nullptr;  // of the parent process
  void* code = nullptr;                // that its threads run: nobody unloads it under their feet
};
constinit DefaultCore the_default;

JOBS_ORDER(kShowDefault, release);  // partner: kSeeDefault
JOBS_ORDER(kSeeDefault, acquire);

JOBS_COLD SchedulerCore& start_default_core() {
  const std::scoped_lock lock(the_default.starting);
  if (SchedulerCore* const core = the_default.core.load(std::memory_order_relaxed)) return *core;
  auto core = std::make_unique<SchedulerCore>(SchedulerOptions{});
  the_default.core.store(core.get(), kShowDefault);
  if (the_default.code == nullptr) the_default.code = os::keep_loaded();
  return *core.release();
}

// The default scheduler is shut down.
void let_unload() noexcept {
  const std::scoped_lock lock(the_default.starting);
  os::let_unload(std::exchange(the_default.code, nullptr));
}

}  // namespace

SchedulerCore& default_core() {
  SchedulerCore* const core = the_default.core.load(kSeeDefault);
  return core != nullptr ? *core : start_default_core();
}

// Somebody in the parent may have been about to start it.
void forget_default_core() noexcept {
  new (&the_default.starting) std::mutex;
  the_default.inherited = the_default.core.exchange(nullptr, std::memory_order_relaxed);
}

#else
namespace {
void let_unload() noexcept {}
}  // namespace
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
