// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The operating-system contract of a simulation, except for its pages. Clock, futex and threads
// belong to the running Simulation; the seed chooses the number of CPUs, which are all alike. The
// library calls these functions instead of base/os_linux.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <system_error>

#include "jobs/base/affinity.hpp"
#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/cpu_quota.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/runtime/parking/forced_publication.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/testing/simulation.hpp"

namespace jobs::inline JOBS_ABI {

namespace os {

void simulated_step() noexcept {
  if (detail::Simulation* const simulation = detail::Simulation::current()) simulation->step();
}
void simulated_spin() noexcept {
  if (detail::Simulation* const simulation = detail::Simulation::current()) simulation->spin();
}

Nanoseconds now() noexcept {
  detail::Simulation& simulation = detail::Simulation::here();
  simulation.step();
  return simulation.now();
}
Nanoseconds quick_now() noexcept { return now(); }

bool futex_wait(const detail::Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                Nanoseconds deadline) noexcept {
  return detail::Simulation::here().futex_wait(word, expected, deadline);
}
void futex_wake(const detail::Atomic<std::uintptr_t>* word) noexcept {
  detail::Simulation& simulation = detail::Simulation::here();
  simulation.step();
  simulation.wake_one(word);
}
void yield_thread() noexcept { simulated_spin(); }
void sleep_thread(Nanoseconds) noexcept { simulated_spin(); }

bool has_membarrier() noexcept { return true; }
void membarrier() noexcept { simulated_step(); }
void renew_membarrier() noexcept {}

void set_thread_name(const char* name) noexcept {
  auto& own = detail::Simulation::here().running().name;
  std::snprintf(own.data(), own.size(), "%s", name);
}
bool pin_thread(unsigned) noexcept { return true; }
bool pin_thread(std::span<const unsigned>) noexcept { return true; }
unsigned current_cpu() noexcept {
  detail::Simulation& simulation = detail::Simulation::here();
  return simulation.choose(simulation.cpus());
}
void leave_cpu(unsigned) noexcept {}
void set_exit_guard(void*, void (*)(void*)) noexcept {}
void move_thread(ThreadHandle, unsigned, unsigned) noexcept {}
void block_signals() noexcept {}

// A simulation does not fork the process.
void on_fork(void (*)() noexcept, void (*)() noexcept, void (*)() noexcept) noexcept {}
void* retain_library() noexcept { return nullptr; }
void release_library(void*) noexcept {}

void fatal_error(std::string_view text) noexcept {
  if (detail::Simulation* const simulation = detail::Simulation::current())
    simulation->fail(std::string(text));
  write_error(text);
  std::abort();
}

std::vector<unsigned> affinity_cpus() {
  std::vector<unsigned> cpus(detail::Simulation::here().cpus());
  std::iota(cpus.begin(), cpus.end(), 0u);
  return cpus;
}
ThreadId thread_id() noexcept {
  return static_cast<ThreadId>(detail::Simulation::here().running().id);
}
std::int64_t cpu_time_of(ThreadId) noexcept { return 0; }
bool exclude_cpu(ThreadId, unsigned, CpuMask&) noexcept { return false; }
void set_mask(ThreadId, const CpuMask&) noexcept {}
void include_cpu(unsigned) noexcept {}
unsigned affinity_of(std::span<const ThreadId>) noexcept {
  return detail::Simulation::here().affinity();
}
unsigned online_cpus() noexcept { return detail::Simulation::here().cpus(); }

}  // namespace os

namespace detail {

const AsymmetricMode kAsymmetric{true};

CpuQuota read_cpu_quota(std::string_view) noexcept {
  return {.cpus = Simulation::here().quota(), .throttled = {}};
}
std::optional<Topology> read_topology(const char*) { return std::nullopt; }
Topology usable_topology() { return Topology::flat(os::affinity_cpus()); }
const std::vector<os::Node>& usable_memory_nodes() {
  static const std::vector<os::Node> none;
  return none;
}

SchedulerCore& default_core() { return Simulation::here().default_core(); }
void set_default_core_options(SchedulerOptions&& options) {
  Simulation::here().set_default_options(std::move(options));
}
void raise_default_stack(std::size_t) {}  // a simulation begins later, with its own options
void release_default_library() noexcept {}
void forget_default_core() noexcept {}
ForcedPublicationBudget& forced_publication_budget() noexcept {
  return Simulation::here().forced_publication_budget();
}

void chaos::inject_delay() noexcept { os::simulated_step(); }
bool chaos::injects_failure() noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation != nullptr && simulation->misses();
}

ThreadState& this_thread() noexcept {
  static constinit ThreadState outside;
  Simulation* const simulation = Simulation::current();
  return simulation != nullptr ? simulation->running().state : outside;
}

// --- threads ---

ThreadId this_thread_id() noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation != nullptr ? simulation->running().id : 0;
}

ThreadId Thread::start(std::function<void()> function) {
  const ThreadId id = Simulation::here().start(std::move(function));
  if (id == 0)
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "thread");
  return id;
}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (joinable()) Simulation::here().fail("a thread was neither joined nor detached");
  id_ = std::exchange(other.id_, 0);
  return *this;
}

Thread::~Thread() {
  if (joinable()) Simulation::here().fail("a thread was neither joined nor detached");
}

void Thread::join() { Simulation::here().join(std::exchange(id_, 0)); }

bool ThreadMutex::is_locked() const noexcept { return locked_in_ == Simulation::here().number(); }

// No simulation: the simulation itself reads the library's state, while all threads stand still
// between two steps.
void ThreadMutex::lock() noexcept {
  Simulation* const simulation = Simulation::current();
  if (simulation == nullptr) return;
  simulation->step();
  while (is_locked()) simulation->sleep(this, os::kNever);
  locked_in_ = simulation->number();
}

bool ThreadMutex::try_lock() noexcept {
  os::simulated_step();
  if (is_locked()) return false;
  locked_in_ = Simulation::here().number();
  return true;
}

void ThreadMutex::unlock() noexcept {
  Simulation* const simulation = Simulation::current();
  if (simulation == nullptr) return;
  locked_in_ = 0;
  simulation->wake_one(this);
}

void ThreadCondition::notify_one() noexcept {
  os::simulated_step();
  Simulation::here().wake_one(this);
}
void ThreadCondition::notify_all() noexcept {
  os::simulated_step();
  Simulation::here().wake_all(this);
}

bool ThreadCondition::wait_before(std::unique_lock<ThreadMutex>& lock, os::Nanoseconds deadline) {
  Simulation& simulation = Simulation::here();
  lock.unlock();  // no step before it sleeps
  const bool woken = deadline > simulation.now() && simulation.sleep(this, deadline);
  lock.lock();
  return woken;
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
