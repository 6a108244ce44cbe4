// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/shared.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string_view>

#include "jobs/base/annotate.hpp"
#include "jobs/base/environment.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The sampling interval of a creation site, if stacks are only sized automatically.
constexpr unsigned kSamplingInterval = 64;

namespace {

[[noreturn]] JOBS_COLD void refuse_priority() {
  throw Error(ErrorCode::kBadArgument, "priority: not a value of jobs::Priority");
}

JOBS_COLD const SchedulerOptions& checked(const SchedulerOptions& options) {
  if (!(options.spin_budget >= 0 && options.spin_budget <= 1))
    throw Error(ErrorCode::kBadArgument, "spin_budget: a share from 0 to 1");
  if (!(options.max_background_share > 0 && options.max_background_share <= 1))
    throw Error(ErrorCode::kBadArgument, "max_background_share: above 0, up to 1");
  return options;
}

// The number of workers is the smaller one of the limit and of the share, rounded up. If it is
// within the share, the budget of time has no effect. The scheduler then reads no clock for it.
JOBS_COLD BackgroundBounds background_bounds(const SchedulerOptions& options, unsigned workers) {
  constexpr const char* kVariable = "JOBS_BACKGROUND_WORKERS";
  constexpr double kRounding = 1e-6;  // 0.7 * 10 is more than 7
  std::uint64_t limit = options.max_background_workers;
  if (limit == 0) {
    const std::string_view value = read_variable(kVariable);
    limit = value.empty() ? workers : parse_variable(kVariable, value, 1, kMaxWorkers);
  }
  const double rate = options.max_background_share * workers;
  auto within = static_cast<std::uint64_t>(rate + kRounding);
  if (rate - static_cast<double>(within) > kRounding || within == 0) ++within;
  limit = std::min(limit, within);
  const bool is_timed = rate < static_cast<double>(limit) - kRounding;
  if (limit >= workers && !is_timed) return {};
  return {static_cast<std::uint32_t>(limit), is_timed ? rate : 0};
}

}  // namespace

JOBS_COLD Shared::Shared(const SchedulerOptions& options,
                         std::unique_lock<ThreadMutex> /*fork_lock*/)
    : options_(checked(options)),
      bound_slots_(std::max(options.bound_threads, options.bind_caller ? 1u : 0u)),
      count_(choose_worker_count(options.worker_count, bound_slots_)),
      background_(background_bounds(options, count_.count)),
      topology_(usable_topology()),
      oversubscribed_(count_.count > topology_.cpus().size()),
      is_pinned_to_nodes_((options.pin_workers || options.pin_to_nodes) &&
                          topology_.memory_nodes().size() > 1),
      capacities_(options.pin_workers ? topology_.capacities(count_.count)
                                      : std::vector<unsigned>()),
      // Bound threads may not run not-main jobs, so one more worker must stay active.
      concurrency_limit_(count_, bound_slots_ + 1, topology_.cpus().size()),
      stacks_(options.stack_size, options.max_fibers,
              options.guard_stacks ? os::guard_kind() : os::GuardKind::kNone, options.trim_stacks),
      stack_profile_(
          options.automatic_stacks || options.measure_stacks != 0
              ? std::make_unique<StackProfile>(
                    options.measure_stacks != 0 ? options.measure_stacks : kSamplingInterval,
                    options.automatic_stacks, stacks_.of_any().loops().stack_size())
              : nullptr),
      accounts_fibers_(stack_profile_ != nullptr || options.account_run_time || trace_ != nullptr),
      parkers_(count_.count),
      idle_(std::make_unique<Idle>(parkers_.get(), count_.count,
                                   options.mode == SchedulerMode::kInline)),
      remotes_(count_.count) {}

JOBS_COLD Shared::~Shared() = default;

JOBS_COLD void Shared::add_worker(WorkerRemote& worker) noexcept {
  parkers_[worker.index()] = &worker.parker();
  remotes_[worker.index()] = &worker;
}

// --- submission ----------------------------------------------------------------------------------

// The `spawned` of a participant stays 0: its jobs count as jobs from outside.
JOBS_COLD std::uint64_t Shared::outstanding() const noexcept {
  return quiescence_.outstanding([this](const auto& visit) {
    for (const WorkerRemote* const worker : remotes_) visit(worker->context());
    participants_.any_of([&visit](const WorkerContext& context) {
      visit(context);
      return false;
    });
  });
}

JOBS_COLD std::uint64_t Shared::submitted() const noexcept {
  return quiescence_.submitted([this](const auto& visit) {
    for (const WorkerRemote* const worker : remotes_) visit(worker->context());
  });
}

JOBS_NOINLINE void Shared::before_park() noexcept {
  quiescence_.before_park([this] { return has_ended(); });
}

void Shared::check_open() const {
  generation_.check();
  if (!quiescence_.is_open()) throw_stopped();
}

JOBS_COLD void Shared::throw_stopped() {
  throw Error(ErrorCode::kStopped, "the scheduler is shut down");
}

void Shared::admit() {
  generation_.check();
  if (!quiescence_.admit()) [[unlikely]]
    admit_to_drain();
}

// A participant may submit jobs during a drain, and so may a thread in a blocking call.
JOBS_COLD void Shared::admit_to_drain() {
  if (is_in_blocking_call()) return quiescence_.accept();
  const WorkerContext* const context = this_context();
  if (context != nullptr && context->is_external() && &context->shared() == this) return;
  quiescence_.refuse();
  before_park();  // A drain may have waited for the job that is refused here.
  throw_stopped();
}

void Shared::submit(Job& job, bool is_counted) {
  if (is_own_worker()) {
    this_context()->push_detached(job);
    return;
  }
  admit();
  if (this_thread().forked_inside) this_thread().submitted = &job;
  if (&trace_submission != nullptr) [[unlikely]]
    trace_submission(job);
  resubmit(job, is_counted);
}

void Shared::resubmit(Job& job, bool is_counted) noexcept {
  sanitizer::annotate_release(&job);
  [[maybe_unused]] const sanitizer::IgnoreSync queue;
  shared_jobs_.push(job, is_counted);
  idle_->published_outside();
}

void Shared::submit_with_options(Job& job, JobMessage& message, const SpawnOptions& options) {
  if (options.priority > Priority::kBackground) [[unlikely]]
    refuse_priority();
  submit_valid(job, message, options);
}

void Shared::submit_valid(Job& job, JobMessage& message, const SpawnOptions& options) {
  check_place(options.on);
  if (is_own_worker()) {
    this_context()->spawned.add(1);
  } else {
    admit();
  }
  resubmit_with_options(job, message, options);
}

JOBS_COLD void Shared::submit_counted(CountedJob& job, JobMessage& message,
                                      const SpawnOptions& options) {
  check_place(options.on);
  const Place place = place_here(options.on);
  if (place.kind == Place::Kind::kWorker) {
    message.is_counted = true;
    return submit_valid(job, message, options);
  }
  if (is_own_worker()) {
    this_context()->spawned.add(1);
  } else {
    admit();
  }
  sanitizer::annotate_release(&job);
  [[maybe_unused]] const sanitizer::IgnoreSync queue;
  shared_jobs_.publish_counted(job, place.kind == Place::Kind::kNotMainThread, options.priority,
                               *idle_);
}

JOBS_COLD void Shared::check_priority(Priority priority) {
  if (priority > Priority::kBackground) refuse_priority();
}

void Shared::check_place(const Place& place) const {
  if ((place.kind == Place::Kind::kMainThread && !has_main_thread()) ||
      (place.kind == Place::Kind::kWorker && place.index >= worker_count())) [[unlikely]]
    refuse_place(place);
}

JOBS_COLD void Shared::refuse_place(const Place& place) const {
  if (place.kind == Place::Kind::kMainThread) {
    throw Error(ErrorCode::kBadArgument,
                "main_thread: no thread is bound to the scheduler (SchedulerOptions::bind_caller)");
  }
  std::array<char, 80> text;
  std::snprintf(text.data(), text.size(), "worker(%u): the scheduler has %u workers", place.index,
                worker_count());
  throw Error(ErrorCode::kBadArgument, text.data());
}

bool Shared::is_at(const Place& place, const WorkerRemote& worker) const noexcept {
  const Place here = place_here(place);
  if (here.kind == Place::Kind::kWorker) return here.index == worker.index();
  return here.kind == Place::Kind::kAnywhere || !worker.is_main();
}

// Translates a place to one of three kinds: one worker, each worker but the bound threads,
// anywhere.
Place Shared::place_here(const Place& place) const noexcept {
  switch (place.kind) {
    case Place::Kind::kMainThread:
      return worker(0);
    case Place::Kind::kNotMainThread:
      return has_main_thread() && worker_count() > bound_slots_ ? place : anywhere;
    case Place::Kind::kAnywhere:
    case Place::Kind::kWorker:
      break;
  }
  return place;
}

void Shared::resubmit_with_options(Job& job, JobMessage& message,
                                   const SpawnOptions& options) noexcept {
  sanitizer::annotate_release(&job);
  [[maybe_unused]] const sanitizer::IgnoreSync queue;
  const bool is_for_main = options.on.kind == Place::Kind::kMainThread;
  if (is_for_main || options.on.kind == Place::Kind::kWorker) {
    message.job = &job;
    message.priority = options.priority;
    shared_jobs_.add_affine(options.priority);
    remotes_[is_for_main ? 0 : options.on.index]->parker().inbox.push(message);
    return;
  }
  const Place place = place_here(options.on);
  const bool is_not_main = place.kind == Place::Kind::kNotMainThread;
  shared_jobs_.publish_with(job, is_not_main, options.priority, *idle_);
}

void Shared::terminate_unhandled(std::exception_ptr exception) noexcept {
  std::fputs("jobs: an exception left a detached job, and there is no on_unhandled\n", stderr);
  // Leaves a noexcept function, so std::terminate() is called, which prints the exception.
  std::rethrow_exception(std::move(exception));
}

void Shared::unhandled(std::exception_ptr exception) const noexcept {
  if (options_.on_unhandled) {
    options_.on_unhandled(exception);
  } else {
    terminate_unhandled(std::move(exception));
  }
}

// --- looking for work ----------------------------------------------------------------------------

JOBS_COLD Idle::Visible Shared::is_work_visible(bool not_main) const noexcept {
  return shared_jobs_.look(not_main, [this] {
    for (WorkerRemote* const worker : remotes_) {
      if (!worker->context().looks_empty()) return true;
    }
    return participants_.any_of(
        [](const WorkerContext& context) { return !context.looks_empty(); });
  });
}

// --- limits of the machine -----------------------------------------------------------------------

JOBS_COLD void Shared::check_limits(os::Nanoseconds now) noexcept {
  const auto collect = [this](std::span<os::ThreadId> memory) {
    std::size_t count = 0;
    for (WorkerRemote* const worker : remotes_) {
      if (worker->is_main()) continue;  // The program sets the mask of its own thread.
      const os::ThreadId thread = worker->thread();
      // The worker is starting, or its waker has removed a CPU from its mask: the limits are read
      // later.
      if (thread == 0 || worker->parker().is_mask_reduced()) return memory.first(0);
      memory[count++] = thread;
    }
    return memory.first(count);
  };
  const ConcurrencyLimit::Change change = concurrency_limit_.check(now, collect);
  idle_->standby().set_limits(concurrency_limit_.active(), concurrency_limit_.cpus());
  if (change.first == change.end) return;
  // Also notifies the first retired worker after the change, because it checks the limits.
  const unsigned end = std::min(change.end + 1, worker_count());
  for (unsigned i = change.first; i < end; ++i) remotes_[i]->notify_change();
}

JOBS_COLD os::Nanoseconds Shared::cpu_time() const noexcept {
  os::Nanoseconds sum = 0;
  for (const WorkerRemote* const worker : remotes_) {
    if (worker->thread() != 0) sum += os::cpu_time_of(worker->thread());
  }
  return sum;
}

JOBS_COLD os::Nanoseconds Shared::next_check_of(unsigned retired) noexcept {
  const unsigned active = concurrency_limit_.active();
  if (retired != active) return os::kNever;
  const auto is_awake = [this, active] {
    for (unsigned i = 0; i < active; ++i) {
      if (!remotes_[i]->is_main() && !is_parked(i)) return true;
    }
    return false;
  };
  return monitor_.keeps_checking(is_awake) ? os::now() + ConcurrencyLimit::kCheckInterval
                                           : os::kNever;
}

JOBS_COLD void Shared::wake_monitor() noexcept {
  const unsigned first = concurrency_limit_.active();
  if (first < worker_count()) remotes_[first]->notify_change();
}

// --- ParallelPhases ------------------------------------------------------------------------------

// No worker spins while the scheduler drains, because a worker detects the end of all jobs only
// when it is about to sleep.
bool Shared::may_spin(bool spinning) noexcept {
  if (!parallel_phases_.any() || !quiescence_.seems_open()) return false;
  const unsigned max = concurrency_limit_.max_spinning();
  return spinning ? !parallel_phases_.has_too_many(max) : parallel_phases_.enter(max);
}

void Shared::open_parallel_phase() {
  check_open();
  parallel_phases_.open();
  if (concurrency_limit_.max_spinning() == 0) return;
  for (WorkerRemote* const worker : remotes_) worker->notify_change();
}

// --- external participants -----------------------------------------------------------------------

WorkerContext* Shared::enter_participant() {
  generation_.check();
  if (!quiescence_.is_open() && !is_in_blocking_call()) throw_stopped();
  WorkerContext* const context = participants_.enter(*this, *idle_, quiescence_);
  if (context == nullptr) return nullptr;
  take_seat();
  this_thread().context = context;
  context->set_traced(is_traced_in_detail());
  return context;
}

void Shared::leave_participant(WorkerContext& context) noexcept {
  this_thread().context = nullptr;
  context.clear_cpu();  // A stale record would keep workers off a free CPU.
  return_seat(context);
  participants_.leave(context);
  // No worker parks after the work that this thread has ended, and a drain may have waited for it.
  // Threads outside of blocking calls may leave while the scheduler is destroyed; a drain polls for
  // them.
  if (is_in_blocking_call()) [[unlikely]]
    before_park();
}

// Returns whether a thread besides the calling participant may push jobs now.
JOBS_ALWAYS_INLINE bool Shared::may_other_push() const noexcept {
  for (WorkerRemote* const worker : remotes_) {
    if (!worker->is_pausing() && !idle_->is_parked(worker->index())) return true;
  }
  return participants_.has_taken(2);
}

JOBS_COLD void Shared::return_seat(const WorkerContext& participant) noexcept {
  if (options_.extra_callers) return;
  idle_->return_seat(
      !participant.looks_empty(), [this] { return may_other_push(); },
      [this] { return is_work_visible(true) == Idle::Visible::kJobs; });
}

}  // namespace jobs::inline JOBS_ABI::detail
