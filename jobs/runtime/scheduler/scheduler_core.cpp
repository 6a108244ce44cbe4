// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: starting, stopping and describing the workers. The constructor and shutdown() run
// on the thread of the user.
//
// Starting:
//   1. Count the workers; construct worker contexts, parkers and victims.
//   2. Start the threads. If thread k cannot be started, the constructor stops and joins the
//      earlier threads, and rethrows the exception.
//
// Stopping:
//   1. Reject work from outside. Running jobs may still spawn.
//   2. Drain. Each worker without work checks whether all submitted jobs have finished, and signals
//      drained_. Then daemons are requested to stop, and drained.
//   3. Set stopping_, and send each worker a message. The loop of the worker leaves to its root
//      fiber, and the thread ends.
//   4. Join the threads. All fibers are idle, and their stacks are released.
//   5. Stop the blocking pool. Without fibers no blocking() is in progress: the threads of the pool
//      are idle, and end.
#include "jobs/runtime/scheduler/scheduler_core.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <span>
#include <string>
#include <system_error>

#include "jobs/base/affinity.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/overflow.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/process_fork.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Takes the lock against forks, and constructs the list of schedulers. So no fork finds the list
// partly constructed.
std::unique_lock<ThreadMutex> lock_construction() {
  std::unique_lock<ThreadMutex> fork_lock = lock_against_fork();
  CoreList::instance();
  return fork_lock;
}

}  // namespace

// The start and the end of a scheduler are compiled for size (JOBS_COLD), because they run once.
JOBS_COLD SchedulerCore::SchedulerCore(const SchedulerOptions& options,
                                       StartWatchdog start_watchdog)
    : Shared(options, lock_construction()),
      watch_limits_(WatchLimits::of(options)),
      hooks_(options_, watch_limits_.deadlock != WatchLimits::kOff),
      blocking_(options.max_blocking_threads) {
  if (options_.bind_caller && this_thread().host != nullptr) {
    throw Error(ErrorCode::kBadArgument, "bind_caller: this thread belongs to a scheduler already");
  }
  // Reads the nodes before a thread is bound, because a bound thread would see fewer.
  static_cast<void>(usable_memory_nodes());
  install_overflow_handler(&FiberControl::origin_of);
  records_jobs_ = watch_limits_.any();
  if (hooks_.wanted()) observer_ = &hooks_;
  // At least two: the stack that is left, and the stack to continue on.
  const std::size_t max_idle = std::max<std::size_t>(options_.max_idle_stacks, 2);
  for (unsigned i = 0; i < count_.count; ++i) {
    workers_.push_back(
        std::make_unique<Worker>(*this, *idle_, stacks_.of(node_of(i)), max_idle, i));
    // Allocated here, because the thread of the worker could not report the failure.
    if (i != 0 || !options_.bind_caller) workers_[i]->fibers().loops().reserve_stack();
    add_worker(*workers_[i]);
  }
  idle_->expect(count_.count - (options_.bind_caller ? 1 : 0));
  start_threads();
  if (!oversubscribed_ && !options_.pin_workers && !is_pinned_to_nodes_) threads_.allow_moves();
  try {
    if (watch_limits_.any()) watchdog_ = start_watchdog(*this, watch_limits_);
    CoreList::instance().add(*this);
  } catch (...) {
    watchdog_.reset();
    stop_threads();
    if (options_.bind_caller) workers_[0]->unbind();
    throw;
  }
}

JOBS_COLD SchedulerCore::~SchedulerCore() {
  shutdown();
  if (parallel_phases_.any())
    contract_violation("Scheduler", this, "destroyed before one of its ParallelPhases");
}

JOBS_COLD void SchedulerCore::start_threads() {
  const unsigned first = options_.bind_caller ? 1 : 0;
  try {
    for (unsigned i = first; i < count_.count; ++i) {
      threads_.start([this, i] { run_thread(i); });
    }
  } catch (...) {
    stop_threads();
    throw;
  }
  if (options_.bind_caller) workers_[0]->bind();
}

JOBS_COLD void SchedulerCore::run_thread(unsigned index) {
  if (is_stopping()) return;  // The scheduler stops before this thread has run at all.
  Worker& worker = *workers_[index];
  os::block_signals();
  std::array<char, 16> name;  // The kernel keeps 15 characters.
  std::snprintf(name.data(), name.size(), "jobs %u", index);
  os::set_thread_name(name.data());
  bind_thread(index);
  worker.bind();
  idle_->begun();
  worker.serve();
  worker.unbind();
}

JOBS_COLD void SchedulerCore::bind_thread(unsigned index) const noexcept {
  if (options_.pin_workers) {
    os::pin_thread(topology_.cpu_of(index).os_index);
  } else if (is_pinned_to_nodes_) {
    os::pin_thread(topology_.cpus_of_node(index));
  }
}

os::Node SchedulerCore::node_of(unsigned index) const noexcept {
  const bool is_bound_caller =
      options_.bind_caller && index == 0;  // Its thread is not bound to a node.
  return is_pinned_to_nodes_ && !is_bound_caller ? topology_.cpu_of(index).memory : os::kAnyNode;
}

JOBS_COLD void SchedulerCore::stop_threads() noexcept {
  stopping_.store(true, shared_order::kStop);
  threads_.end_moves();
  const unsigned first = options_.bind_caller ? 1 : 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) workers_[first + i]->post_stop();
  threads_.join();
}

JOBS_COLD void SchedulerCore::shutdown() {
  generation_.check();
  if (state_.load(shared_order::kDrain) == State::kStopped) return;
  if (is_own_worker() && !(options_.bind_caller && this_thread().host == workers_[0].get() &&
                           workers_[0]->is_on_root())) {
    contract_violation("Scheduler", this, "shut down from one of its own jobs");
  }
  if (options_.bind_caller && this_thread().host != workers_[0].get()) {
    contract_violation("Scheduler", this,
                       "shut down by another thread than the one that is bound to it");
  }
  state_.store(State::kDraining, shared_order::kDrain);
  full_fence(shared_order::kDrain);
  do wait_until_quiescent();
  while (stop_daemons());
  CoreList::instance().remove(*this);
  watchdog_.reset();
  stop_threads();
  if (options_.bind_caller) workers_[0]->unbind();
  blocking_.stop();
  state_.store(State::kStopped, shared_order::kDrain);
}

JOBS_COLD void SchedulerCore::wait_until_quiescent() {
  const WaitingThread here;
  const InterruptShield shield(here.host().current());
  while (!is_quiescent()) {
    drained_.wait();
    if (is_quiescent()) return;
    drained_.reset();  // The signal was that of an earlier drain.
    full_fence(shared_order::kDrain);
  }
}

// Requests all daemons to stop, and counts them. Daemons do not count while they run, so the first
// drain does not wait for them; the next drain does. Returns false if there are none.
JOBS_COLD bool SchedulerCore::stop_daemons() {
  for (bool any = false;;) {
    // At most 64 at a time: a shutdown allocates no memory, so that it cannot fail.
    std::array<FiberControl*, 64> daemons;
    std::size_t count = 0;
    FiberRegistry::instance().for_each([&](FiberControl& fiber) {
      if (count == daemons.size() || !fiber.belongs_to(*this) || !fiber.is_daemon() ||
          fiber.is_counted())
        return;
      daemons[count++] = &fiber;
      fiber.add_owner();
    });
    if (count == 0) return any;
    for (FiberControl* const daemon : std::span(daemons).first(count)) {
      // First, so that the finished jobs never outnumber the submitted jobs.
      spawned_outside_.fetch_add(1, shared_order::kAdmit);
      if (daemon->mark_counted()) {
        any = true;
      } else {
        refused_outside_.fetch_add(1, shared_order::kAdmit);
      }
      daemon->request_stop();
      daemon->release();
    }
  }
}

void SchedulerCore::run_main_thread_jobs() {
  generation_.check();
  check_place(main_thread);
  if (state_.load(shared_order::kAdmit) == State::kStopped)
    throw Error(ErrorCode::kStopped, "the scheduler is shut down");
  if (this_thread().host != workers_[0].get()) {
    contract_violation("Scheduler", this,
                       "run_main_thread_jobs() by another thread than the one that is bound to it");
  }
  if (!workers_[0]->has_affine_jobs()) return;
  // The jobs run in FIFO order, so one more job runs after all earlier jobs.
  workers_[0]->prepare_wait();  // The last moment at which the wait can fail.
  const auto nothing = [] {};
  CallJob last(nothing, []() noexcept { this_context()->finished.add(1); });
  JobMessage message;
  submit_with_options(last, message, {.on = main_thread});
  last.join();
}

// --- users ---------------------------------------------------------------------------------------

Stats SchedulerCore::stats() const {
  Stats sum;
  for (const auto& worker : workers_) {
    sum.jobs += worker->jobs.read();
    sum.steals += worker->steals.read();
    sum.forced_publications += worker->forced_publications.read();
    sum.remote_steals += worker->remote_steals.read();
    sum.switches += worker->switches.read();
    sum.parks += worker->parks.read();
    sum.overruns += worker->overruns.read();
    sum.idle_ns += worker->idle_ns.read();
    sum.timeouts += worker->timeouts.read();
    sum.late_timeouts += worker->late_timeouts.read();
    sum.max_lateness_ns = std::max(sum.max_lateness_ns, worker->max_lateness_ns.read());
    sum.fibers += worker->fibers().live();
    sum.fibers_idle += worker->fibers().idle();
    sum.slab_bytes += worker->context().blocks.bytes();
    sum.heap_blocks += worker->context().heap_blocks.read();
  }
  sum.active_workers = concurrency_limit_.active();
  const CpuThrottling throttled = concurrency_limit_.throttled();
  sum.throttled_periods = throttled.periods;
  sum.throttled_ns = throttled.nanoseconds;
  sum.blocking_calls = blocking_.calls.read();
  sum.blocking_threads = blocking_.threads.read();
  return sum;
}

std::vector<StackUse> SchedulerCore::stack_use() const {
  return stack_profile_ ? stack_profile_->uses() : std::vector<StackUse>();
}

void SchedulerCore::trim(std::size_t keep) {
  call_on_each_worker([keep] { this_context()->worker()->fibers().trim(keep); });
  stacks_.trim();
}

// A worker runs the empty job after it has returned from the previous job, or from the end of a
// fiber. Neither is suspended after it has notified its waiters.
void SchedulerCore::quiesce() {
  call_on_each_worker([] {});
}

template <class F>
void SchedulerCore::call_on_each_worker(const F& function) {
  FiberHost* const here = this_thread().host;
  for (unsigned i = 0; i < worker_count(); ++i) {
    if (here != nullptr) here->prepare_wait();  // The last moment at which the wait can fail.
    CallJob call(function, []() noexcept { this_context()->finished.add(1); });
    JobMessage message;
    submit_with_options(call, message, {.on = worker(i)});
    call.join();
  }
}

std::string SchedulerCore::describe() const {
  std::string text = count_.reason;
  if (!is_forked()) text += concurrency_limit_.describe();
  text += options_.bind_caller ? "; the caller is worker 0" : "; all on threads of their own";
  text += !capacities_.empty()   ? ", pinned, to the fastest cores first"
          : options_.pin_workers ? ", pinned"
          : is_pinned_to_nodes_  ? ", pinned to their nodes"
                                 : ", not pinned";
  text += "; stacks of " + std::to_string(options_.stack_size / 1024) + " KiB, ";
  switch (stacks_.guard_kind()) {
    case os::GuardKind::kLightweight:
      text += "guarded by MADV_GUARD_INSTALL";
      break;
    case os::GuardKind::kProtected:
      text += "guarded by mprotect (bounded by vm.max_map_count)";
      break;
    case os::GuardKind::kNone:
      text += "not guarded";
  }
  if (stacks_.has_places()) text += ", on their node: " + stacks_.placement();
  text += "; fibers switched by " + context_name();
  text +=
      kAsymmetric ? "; idle protocol by membarrier" : "; idle protocol by fences (no membarrier)";
  return text;
}

}  // namespace jobs::inline JOBS_ABI::detail
