// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: starting and describing the workers. The constructor runs on the thread of the
// user. scheduler_stop.cpp stops the workers, scheduler_binding.cpp binds threads of the program.
//
// Starting:
//   1. Count the workers; construct worker contexts, parkers and victims.
//   2. Start the threads. If thread k cannot be started, the constructor stops and joins the
//      earlier threads, and rethrows the exception.
#include "jobs/runtime/scheduler/scheduler_core.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include "jobs/base/affinity.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/environment.hpp"
#include "jobs/base/message.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_label.hpp"
#include "jobs/fiber/overflow.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/process_fork.hpp"
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

// Says once that this program cannot record.
JOBS_COLD void refuse_trace() noexcept {
  static std::atomic_flag told;
  bool is_wanted = *read_variable("JOBS_TRACE") != '\0';
  for (const char* const variable : {"JOBS_PROFILE", "JOBS_LIVE"}) {
    const std::string_view value = read_variable(variable);
    is_wanted |= !(value.empty() || value == "0");
  }
  if (!is_wanted || told.test_and_set(std::memory_order_relaxed)) return;
  os::write_error(
      "jobs: JOBS_TRACE, JOBS_PROFILE or JOBS_LIVE is set, but this program does not link "
      "jobs::trace\n");
}

}  // namespace

// The start and the end of a scheduler are compiled for size (JOBS_COLD), because they run once.
JOBS_COLD SchedulerCore::SchedulerCore(const SchedulerOptions& options,
                                       const Diagnostics& diagnostics,
                                       ReadWorkerCpus read_worker_cpus, Scheduler* object)
    : Shared(options, lock_construction()),
      watch_limits_(WatchLimits::of(options)),
      report_shutdown_(diagnostics.report_shutdown),
      hooks_(options_, watch_limits_.deadlock != WatchLimits::kOff),
      blocking_(*this, options.max_blocking_threads),
      slots_(bound_slots_, options.bind_caller),
      object_(object) {
  if (options_.bind_caller && this_thread().host != nullptr) {
    throw Error(ErrorCode::kBadArgument, "bind_caller: this thread belongs to a scheduler already");
  }
  if (options_.worker_cpus) worker_cpus_ = read_worker_cpus(options_, count_.count);
  // Reads the nodes before a thread is bound, because a bound thread would see fewer.
  static_cast<void>(usable_memory_nodes());
  set_origin_of(&FiberControl::origin_of);
  install_overflow_handler();
  records_jobs_ = watch_limits_.any();
  if (hooks_.wanted()) observer_ = &hooks_;
  if (trace_observer() == nullptr) refuse_trace();
  if (trace_ != nullptr) observer_ = trace_->scheduler_starts(observer_);
  // At least two: the stack that is left, and the stack to continue on.
  const std::size_t max_idle = std::max<std::size_t>(options_.max_idle_stacks, 2);
  workers_ = HeapArray<std::unique_ptr<Worker>>(count_.count);
  for (unsigned i = 0; i < count_.count; ++i) {
    workers_[i] = std::make_unique<Worker>(*this, *idle_, stacks_.of(node_of(i)), max_idle, i);
    // Allocated here, because the thread of the worker could not report the failure.
    if (i >= bound_slots_) workers_[i]->fibers().loops().reserve_stack();
    add_worker(*workers_[i]);
  }
  idle_->expect(count_.count - bound_slots_);
  idle_->standby().set_limits(count_.count, static_cast<unsigned>(topology_.cpus().size()));
  places_threads_ = !options_.pin_workers && !is_pinned_to_nodes_ && !worker_cpus_;
  start_threads();
  if (places_threads_ && !oversubscribed_) threads_.allow_moves();
  try {
    if (watch_limits_.any()) watchdog_ = diagnostics.start_watchdog(*this, watch_limits_);
    CoreList::instance().add(*this);
  } catch (...) {
    watchdog_.reset();
    stop_threads();
    if (options_.bind_caller) unbind(0);
    throw;
  }
}

JOBS_COLD SchedulerCore::~SchedulerCore() {
  shutdown();
  if (parallel_phases_.any())
    contract_violation("Scheduler", this, "destroyed before one of its ParallelPhases");
  if (scopes_.load(std::memory_order_relaxed) != 0)
    contract_violation("Scheduler", this, "destroyed before one of its SchedulerScopes");
}

Scheduler& SchedulerCore::public_object(PublicObject (*make)(SchedulerCore&)) {
  const std::scoped_lock lock(object_mutex_);
  if (object_ == nullptr) {
    own_object_ = make(*this);
    object_ = own_object_.get();
  }
  return *object_;
}

JOBS_COLD void SchedulerCore::start_threads() {
  unsigned i = bound_slots_;
  try {
    for (; i < count_.count; ++i) threads_.start([this, i] { run_thread(i); });
  } catch (const std::system_error& error) {
    stop_threads();
    MessageLine purpose;
    purpose << "worker " << std::uint64_t{i} << " of " << std::uint64_t{count_.count};
    refuse_thread(error.code(), purpose.text(), "lower worker_count or JOBS_NUM_WORKERS");
  } catch (...) {
    stop_threads();
    throw;
  }
  if (options_.bind_caller) bind(0);
}

JOBS_COLD void SchedulerCore::bind(unsigned index) {
  const auto started = [&]() noexcept { options_.on_worker_start(index); };
  if (options_.on_worker_start) started();
  workers_[index]->bind();
}

JOBS_COLD void SchedulerCore::unbind(unsigned index) noexcept {
  workers_[index]->unbind();
  if (options_.on_worker_stop) options_.on_worker_stop(index);
}

JOBS_COLD void SchedulerCore::run_thread(unsigned index) {
  if (is_stopping()) return;  // The scheduler stops before this thread has run at all.
  Worker& worker = *workers_[index];
  os::block_signals();
  std::array<char, 16> name;  // The kernel keeps 15 characters.
  std::snprintf(name.data(), name.size(), "jobs %u", index);
  os::set_thread_name(name.data());
  bind_thread(index);
  bind(index);
  if (index >= bound_slots_) idle_->begun();
  worker.serve();
  unbind(index);
}

JOBS_COLD void SchedulerCore::bind_thread(unsigned index) const noexcept {
  if (options_.pin_workers) {
    os::pin_thread(topology_.cpu_of(index).os_index);
  } else if (is_pinned_to_nodes_) {
    os::pin_thread(topology_.cpus_of_node(index));
  } else if (worker_cpus_ && !worker_cpus_[index].empty()) {
    os::pin_thread(worker_cpus_[index]);
  }
}

os::Node SchedulerCore::node_of(unsigned index) const noexcept {
  const bool is_bound = index < bound_slots_;  // Its thread is not bound to a node.
  return is_pinned_to_nodes_ && !is_bound ? topology_.cpu_of(index).memory : os::kAnyNode;
}

// --- users ---------------------------------------------------------------------------------------

Stats SchedulerCore::stats() const {
  Stats sum;
  std::uint64_t busy = 0;
  for (const auto& worker : workers_) {
    // The id of the root fiber, which is the thread itself, is 0.
    const FiberCore* const running = worker->current_remote();
    const std::size_t on_fiber = running != nullptr && running->id.load_remote() != 0 ? 1 : 0;
    // The figures of a worker agree: the live fibers less the idle ones are in use.
    const std::size_t live = worker->fibers().live();
    const std::size_t in_use = std::min(worker->fibers().in_use(), live);
    sum.fibers_blocked += in_use - std::min(in_use, on_fiber);
    if (!idle_->is_parked(worker->index())) busy += on_fiber;
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
    sum.max_start_delay_ns = std::max(sum.max_start_delay_ns, worker->longest_wait_ns.read());
    sum.fibers += live;
    sum.fibers_idle += live - in_use;
    sum.max_worker_fibers = std::max(sum.max_worker_fibers, in_use);
    sum.fiber_offers += worker->fiber_offers.read();
    sum.slab_bytes += worker->context().blocks.bytes();
    sum.heap_blocks += worker->context().heap_blocks.read();
  }
  const std::uint64_t accepted = outstanding();
  sum.waiting_jobs = accepted - std::min(accepted, sum.fibers_blocked + busy);
  participants_.any_of([&sum](const WorkerContext& context) {
    sum.jobs += context.finished.read();
    return false;
  });
  sum.max_start_delay_ns =
      std::max(sum.max_start_delay_ns, static_cast<std::uint64_t>(shared_jobs_.longest_wait()));
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
  call_on_each_worker([keep] {
    WorkerContext& context = *this_context();
    context.worker()->fibers().trim(keep);
    context.release_memory();
  });
  stacks_.trim();
  os::trim_heap();  // the memory of jobs from outside
}

// A worker runs the empty job after it has returned from the previous job, or from the end of a
// fiber. Neither is suspended after it has notified its waiters.
void SchedulerCore::quiesce() {
  call_on_each_worker([] {});
}

// Returns false if the worker is vacant, so that the job would wait.
bool SchedulerCore::submit_to_worker(unsigned index, Job& job, JobMessage& message) {
  const auto push = [&] { submit_with_options(job, message, {.on = worker(index)}); };
  if (index < bound_slots_) return slots_.submit(index, push);
  push();
  return true;
}

template <class F>
void SchedulerCore::call_on_each_worker(const F& function) {
  FiberHost* const here = this_thread().host;
  for (unsigned i = 0; i < worker_count(); ++i) {
    if (here != nullptr) here->prepare_wait();  // The last moment at which the wait can fail.
    CallJob call(function, []() noexcept { this_context()->finished.add(1); });
    JobMessage message;
    // A vacant worker has neither fibers nor jobs that have just ended.
    if (submit_to_worker(i, call, message)) call.join();
  }
}

std::string SchedulerCore::describe() const {
  std::string text = count_.reason;
  if (!is_forked()) text += concurrency_limit_.describe();
  text += options_.bind_caller ? "; the caller is worker 0"
          : bound_slots_ != 0  ? "; the first ones for bound threads"
                               : "; all on threads of their own";
  if (options_.mode == SchedulerMode::kInline) text += ", and jobs start inline";
  if (options_.mode == SchedulerMode::kThreads) text += ", and jobs have threads of their own";
  text += !capacities_.empty()   ? ", pinned, to the fastest cores first"
          : options_.pin_workers ? ", pinned"
          : is_pinned_to_nodes_  ? ", pinned to their nodes"
          : worker_cpus_         ? ", pinned to sets of CPUs"
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
