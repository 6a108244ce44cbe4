// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: its members, except for the start. The public object of the default scheduler needs
// them, and must not bring the watchdog with it (scheduler_start.cpp).
#include "jobs/scheduler.hpp"

#include <utility>

#include "jobs/base/heap.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI {

using detail::SchedulerCore;

Scheduler::Scheduler(detail::Shared& shared) noexcept : shared_(&shared) {}
Scheduler& Scheduler::of(SchedulerCore& core) {
  return core.public_object([](SchedulerCore& its_core) {
    void* const memory = detail::heap_allocate(sizeof(Scheduler));
    return SchedulerCore::PublicObject(::new (memory) Scheduler(its_core), [](Scheduler* object) {
      object->~Scheduler();
      detail::heap_deallocate(object, sizeof(Scheduler));
    });
  });
}
// A child process leaks an inherited scheduler on purpose: its threads, and their unfinished
// accesses to it, belong to the parent process.
Scheduler::~Scheduler() {
  if (core_ == nullptr || !core_->is_forked()) return;
  [[maybe_unused]] SchedulerCore* const leaked = core_.release();
  [[maybe_unused]] const auto* const its_options = options_.release();
}
void Scheduler::shutdown() {
  SchedulerCore::of(*shared_).shutdown();
  if (core_ == nullptr) detail::release_default_library();
}
bool Scheduler::shutdown_before(os::Nanoseconds deadline) {
  if (!SchedulerCore::of(*shared_).shutdown_before(deadline)) return false;
  if (core_ == nullptr) detail::release_default_library();
  return true;
}
void Scheduler::run_main_thread_jobs() { SchedulerCore::of(*shared_).run_main_thread_jobs(); }
unsigned Scheduler::worker_count() const noexcept {
  return SchedulerCore::of(*shared_).worker_count();
}
Stats Scheduler::stats() const { return SchedulerCore::of(*shared_).stats(); }
std::vector<StackUse> Scheduler::stack_use() const {
  return SchedulerCore::of(*shared_).stack_use();
}
void Scheduler::trim(std::size_t keep) { SchedulerCore::of(*shared_).trim(keep); }
std::string Scheduler::describe() const { return SchedulerCore::of(*shared_).describe(); }

}  // namespace jobs::inline JOBS_ABI
