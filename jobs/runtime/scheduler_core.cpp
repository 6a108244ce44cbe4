// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Starting: (1) count workers and lay out lanes, sleepers and victims; (2) start the threads. If
// thread k cannot be started, those before it are stopped and joined, and the exception goes on.
//
// Stopping: (1) refuse what comes from outside; jobs that run may still spawn. (2) Drain: each worker that finds nothing to do
// asks whether all that was submitted has finished, and signals drained_; then daemons are asked to stop, and drained. (3) stopping_
// is set and each worker gets a message; its loop leaves to its root fiber, the thread ends. (4) The threads are joined; all
// fibers are idle, and their stacks go. (5) No fiber means no blocking() under way: the threads of its pool are idle, and end.
//
// Quiescence without a shared count: each lane tallies what was submitted and what was finished, with one writer each. The
// finished ones are summed first. They only grow and finished <= submitted, so if the later sum of the submitted ones equals
// the earlier sum of the finished ones, nothing was outstanding in between, and only running jobs could submit more.
#include "jobs/runtime/scheduler_core.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <system_error>

#include "jobs/base/affinity.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/error.hpp"
#include "jobs/base/hand_over.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/overflow.hpp"
#include "jobs/runtime/call_job.hpp"
#include "jobs/runtime/core_list.hpp"
#include "jobs/runtime/fiber_control.hpp"
#include "jobs/runtime/fiber_registry.hpp"
#include "jobs/runtime/report.hpp"
#include "jobs/sync/interrupt.hpp"
#include "jobs/sync/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace core_order {
JOBS_ORDER(kAdmit, seq_cst);    // [S1] count, then look at the state; partner: kDrain
JOBS_ORDER(kDrain, seq_cst);    // [S1] set the state, then look at the counts
JOBS_ORDER(kStop, release);     // [S2]
JOBS_ORDER(kMoved, release);    // [S8] threads have been moved before they are joined; partner: kMove
JOBS_ORDER(kMove, acquire);     // [S8] partner: kMoved
JOBS_ORDER(kSeeStop, acquire);  // [S2] partner: kStop
}  // namespace core_order

constexpr unsigned kMeasureEvery = 64;  // Fibers of one place, if only their class is wanted

SchedulerCore::SchedulerCore(const SchedulerOptions& options)
    : options_(options),
      asking_(first_questions()),
      count_(choose_worker_count(options.worker_count)),
      topology_(usable_topology()),
      oversubscribed_(count_.count > topology_.cpus().size()),
      is_placed_((options.pin_workers || options.pin_to_nodes) && topology_.memory_nodes().size() > 1),
      capacities_(options.pin_workers ? topology_.capacities(count_.count) : std::vector<unsigned>()),
      // The bound thread may not run all jobs, so somebody has to stay with it.
      allowance_(count_, options.bind_caller ? 2 : 1, topology_.cpus().size()),
      watch_limits_(WatchLimits::of(options)),
      hooks_(options_, watch_limits_.deadlock != WatchLimits::kOff),
      stacks_(options.stack_size, options.max_fibers, options.guard_stacks ? os::guard_kind() : os::GuardKind::kNone,
              options.trim_stacks),
      sites_(options.automatic_stacks || options.measure_stacks != 0
                 ? std::make_unique<StackSites>(options.measure_stacks != 0 ? options.measure_stacks : kMeasureEvery,
                                                options.automatic_stacks, stacks_.of_any().loops().stack_size())
                 : nullptr),
      notes_fibers_(sites_ != nullptr || options.account_run_time),
      blocking_(options.max_blocking_threads) {
  CoreList::instance();  // it is there from now on
  asking_ = {};
  if (options_.bind_caller && this_thread().host != nullptr) {
    throw Error(ErrorCode::kBadArgument, "bind_caller: this thread belongs to a scheduler already");
  }
  static_cast<void>(usable_memory_nodes());  // before a thread is bound and asks
  install_overflow_handler(&FiberControl::origin_of);
  const std::size_t max_idle = std::max<std::size_t>(options_.max_idle_stacks, 2);  // one that goes, one to go on with
  sleepers_.resize(count_.count);
  idle_ = std::make_unique<Idle>(sleepers_.data(), count_.count);
  for (unsigned i = 0; i < count_.count; ++i) {
    workers_.push_back(std::make_unique<Worker>(*this, *idle_, stacks_.of(node_of(i)), max_idle, i));
    if (i != 0 || !options_.bind_caller) workers_[i]->fibers().loops().reserve_stack();  // its thread could not say so
    sleepers_[i] = &workers_[i]->sleeper();
    rings_.push_back(topology_.victim_rings(i, count_.count));
  }
  idle_->expect(count_.count - (options_.bind_caller ? 1 : 0));
  start_threads();
  if (!oversubscribed_ && !options_.pin_workers && !is_placed_) {
    new_threads_.store(NewThreads::kMayMove, std::memory_order_relaxed);
  }
  try {
    if (watch_limits_.any()) watchdog_.emplace(*this, watch_limits_);
    CoreList::instance().add(*this);
  } catch (...) {
    watchdog_.reset();
    stop_threads();
    if (options_.bind_caller) workers_[0]->unbind();
    throw;
  }
}

SchedulerCore::~SchedulerCore() {
  shutdown();
  if (hot_regions_.any()) breach("Scheduler", this, "destroyed before one of its HotRegions");
}

void SchedulerCore::start_threads() {
  const unsigned first = options_.bind_caller ? 1 : 0;
  try {
    for (unsigned i = first; i < count_.count; ++i) {
      threads_.emplace_back([this, i] {
        if (is_stopping()) return;  // a short life: all was done before this thread came to run
        Worker& worker = *workers_[i];
        os::block_signals();
        os::set_thread_name(("jobs " + std::to_string(i)).c_str());
        bind_thread(i);
        worker.bind();
        idle_->begun();
        worker.serve();
        worker.unbind();
      });
    }
  } catch (...) {
    stop_threads();
    throw;
  }
  if (options_.bind_caller) workers_[0]->bind();
}

void SchedulerCore::bind_thread(unsigned index) const noexcept {
  if (options_.pin_workers) {
    os::pin_thread(topology_.cpu_of(index).os_index);
  } else if (is_placed_) {
    os::pin_thread(topology_.cpus_of_node(index));
  }
}

os::Node SchedulerCore::node_of(unsigned index) const noexcept {
  const bool is_bound_caller = options_.bind_caller && index == 0;  // left where it is
  return is_placed_ && !is_bound_caller ? topology_.cpu_of(index).memory : os::kAnyNode;
}

void SchedulerCore::stop_threads() noexcept {
  stopping_.store(true, core_order::kStop);
  for (NewThreads they = NewThreads::kMayMove;  // a guest may be about to move them
       !new_threads_.compare_exchange_strong(they, NewThreads::kStay, core_order::kMove, core_order::kMove) &&
       they != NewThreads::kStay;
       they = NewThreads::kMayMove) {
    os::yield_thread();
  }
  const unsigned first = options_.bind_caller ? 1 : 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) workers_[first + i]->post_stop();
  for (Thread& thread : threads_) thread.join();
  threads_.clear();
}

void SchedulerCore::shutdown() {
  fork_mark_.check();
  if (state_.load(core_order::kDrain) == State::kStopped) return;
  if (is_own_worker() &&
      !(options_.bind_caller && this_thread().host == workers_[0].get() && workers_[0]->is_on_root())) {
    breach("Scheduler", this, "shut down from one of its own jobs");
  }
  if (options_.bind_caller && this_thread().host != workers_[0].get()) {
    breach("Scheduler", this, "shut down by another thread than the one that is bound to it");
  }
  state_.store(State::kDraining, core_order::kDrain);
  full_fence(core_order::kDrain);
  do wait_until_quiescent();
  while (recall_daemons());
  CoreList::instance().remove(*this);
  watchdog_.reset();
  stop_threads();
  if (options_.bind_caller) workers_[0]->unbind();
  blocking_.stop();
  state_.store(State::kStopped, core_order::kDrain);
}

bool SchedulerCore::is_quiescent() const noexcept {
  std::uint64_t finished = refused_outside_.load(core_order::kDrain);
  for (const auto& worker : workers_) finished += worker->lane().finished.read();
  std::uint64_t submitted = 0;
  for (const auto& worker : workers_) submitted += worker->lane().spawned.read();
  submitted += spawned_outside_.load(core_order::kDrain);
  return submitted == finished;
}

void SchedulerCore::wait_until_quiescent() {
  const WaitingThread here;
  const InterruptShield whatever_happens(here.host().current());
  while (!is_quiescent()) {
    drained_.wait();
    if (is_quiescent()) return;
    drained_.reset();  // that was the signal of the last time
    full_fence(core_order::kDrain);
  }
}

// Daemons do not count while they run: the first drain does not wait for them. Now they are to end, and count again. False: there
// are none.
bool SchedulerCore::recall_daemons() {
  for (bool any = false;;) {
    std::array<FiberControl*, 64> daemons;  // some at a time: a shutdown allocates nothing, so that it cannot fail
    std::size_t count = 0;
    FiberRegistry::instance().for_each([&](FiberControl& fiber) {
      if (count == daemons.size() || !fiber.belongs_to(*this) || !fiber.is_daemon() || fiber.is_recalled()) return;
      daemons[count++] = &fiber;
      fiber.add_owner();
    });
    if (count == 0) return any;
    for (FiberControl* const daemon : std::span(daemons).first(count)) {
      spawned_outside_.fetch_add(1, core_order::kAdmit);  // first, so that never more is finished than was submitted
      if (daemon->recall()) {
        any = true;
      } else {
        refused_outside_.fetch_add(1, core_order::kAdmit);
      }
      daemon->request_stop();
      daemon->release();
    }
  }
}

void SchedulerCore::before_park() noexcept {
  // The fence pairs with the one in shutdown(): either we see that it drains, or it sees what we finished.
  full_fence(core_order::kDrain);
  if (state_.load(core_order::kDrain) == State::kDraining && is_quiescent()) drained_.signal();
}

// --- submission ---------------------------------------------------------------------------------------------------------

void SchedulerCore::admit() {
  fork_mark_.check();
  spawned_outside_.fetch_add(1, core_order::kAdmit);
  if (state_.load(core_order::kAdmit) == State::kOpen) return;
  refused_outside_.fetch_add(1, core_order::kAdmit);
  before_park();  // a drain may have waited for the count that is refused now
  throw Error(ErrorCode::kStopped, "the scheduler is shut down");
}

void SchedulerCore::submit(Job& job) {
  if (is_own_worker()) {
    this_thread().lane->push_detached(job);
    return;
  }
  admit();
  if (this_thread().forked_inside) this_thread().submitted = &job;
  resubmit(job);
}

void SchedulerCore::resubmit(Job& job) noexcept {
  sanitizer::hand_over(&job);
  [[maybe_unused]] const sanitizer::Unordered queue;
  shared_jobs_.push(job);
  idle_->published_outside();
}

void SchedulerCore::submit_placed(Job& job, JobMessage& message, const SpawnOptions& options) {
  check_place(options.on);
  if (is_own_worker()) {
    this_thread().lane->spawned.add(1);
  } else {
    admit();
  }
  resubmit_placed(job, message, options);
}

void SchedulerCore::check_place(const Place& place) const {
  if ((place.kind == Place::Kind::kMainThread && !has_main_thread()) ||
      (place.kind == Place::Kind::kWorker && place.index >= worker_count())) [[unlikely]]
    refuse_place(place);
}

void SchedulerCore::refuse_place(const Place& place) const {
  if (place.kind == Place::Kind::kMainThread) {
    throw Error(ErrorCode::kBadArgument,
                "main_thread: no thread is bound to the scheduler (SchedulerOptions::bind_caller)");
  }
  throw Error(ErrorCode::kBadArgument, "worker(" + std::to_string(place.index) + "): the scheduler has " +
                                           std::to_string(worker_count()) + " workers");
}

bool SchedulerCore::is_at(const Place& place, const Worker& worker) const noexcept {
  const Place here = place_here(place);
  if (here.kind == Place::Kind::kWorker) return here.index == worker.index();
  return here.kind == Place::Kind::kAnywhere || !worker.is_main();
}

// One worker, all but the bound thread, or anywhere.
Place SchedulerCore::place_here(const Place& place) const noexcept {
  switch (place.kind) {
    case Place::Kind::kMainThread:
      return worker(0);
    case Place::Kind::kNotMainThread:
      return has_main_thread() && worker_count() > 1 ? place : anywhere;
    case Place::Kind::kAnywhere:
    case Place::Kind::kWorker:
      break;
  }
  return place;
}

void SchedulerCore::resubmit_placed(Job& job, JobMessage& message, const SpawnOptions& options) noexcept {
  const Place place = place_here(options.on);
  sanitizer::hand_over(&job);
  [[maybe_unused]] const sanitizer::Unordered queue;
  if (place.kind == Place::Kind::kWorker) {
    message.job = &job;
    message.urgent = options.urgent;
    workers_[place.index]->post(message);
    return;
  }
  const bool is_off_main = place.kind == Place::Kind::kNotMainThread;
  if (is_off_main || options.urgent) {
    shared_jobs_.push_special(job, is_off_main, options.urgent);
  } else {
    shared_jobs_.push(job);
  }
  idle_->published_outside(is_off_main ? 1 : 0);
}

void SchedulerCore::run_main_thread_jobs() {
  fork_mark_.check();
  check_place(main_thread);
  if (state_.load(core_order::kAdmit) == State::kStopped)
    throw Error(ErrorCode::kStopped, "the scheduler is shut down");
  if (this_thread().host != workers_[0].get()) {
    breach("Scheduler", this, "run_main_thread_jobs() by another thread than the one that is bound to it");
  }
  if (!workers_[0]->has_placed_jobs()) return;
  // They go in their order, so one more job tells when those before it have had their turn.
  workers_[0]->prepare_wait();  // the last moment at which the wait can fail
  const auto nothing = [] {};
  CallJob last(nothing, []() noexcept { this_thread().lane->finished.add(1); });
  JobMessage message;
  submit_placed(last, message, {.on = main_thread});
  last.join();
}

void SchedulerCore::unhandled(std::exception_ptr exception) noexcept {
  if (options_.on_unhandled) {
    options_.on_unhandled(exception);
    return;
  }
  std::fputs("jobs: an exception left a detached job, and there is no on_unhandled\n", stderr);
  std::rethrow_exception(exception);  // through noexcept: std::terminate, which says what it was
}

// --- workers ------------------------------------------------------------------------------------------------------------

// A kernel may start a thread on the CPU of its creator although another idles (Worker::settle() has the reason). There it would wait for
// milliseconds for its first turn, so it is moved by whoever has work for it.
JOBS_COLD void SchedulerCore::move_threads() noexcept {
  NewThreads they = NewThreads::kMayMove;
  if (!new_threads_.compare_exchange_strong(they, NewThreads::kMove, core_order::kMove, core_order::kMove)) return;
  const unsigned first = options_.bind_caller ? 1 : 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (workers_[first + i]->thread() == 0) os::move_thread(threads_[i].native_handle(), os::current_cpu());
  }
  new_threads_.store(NewThreads::kStay, core_order::kMoved);
}

Job* SchedulerCore::steal(unsigned thief, Random& random, unsigned batch, Lane*& hidden) noexcept {
  hidden = nullptr;
  chaos::point();
  if (chaos::strikes()) return nullptr;
  Worker& worker = *workers_[thief];
  Job* found = nullptr;
  const auto has_job = [&](Lane& lane, bool is_remote = false) {
    if (lane.looks_empty()) return false;
    for (;;) {
      const StealResult<Job> result = lane.steal();
      if (result.outcome == StealOutcome::kLost) continue;
      if (result.outcome == StealOutcome::kHidden && hidden == nullptr) hidden = &lane;  // the nearest
      found = result.item;
      if (found == nullptr) return false;
      // What comes from afar costs more, so more comes at a time.
      const unsigned others = batch > 1 ? worker.lane().take_from(lane, is_remote ? 2 * batch : batch - 1) : 0;
      worker.steals.add(1 + others);
      if (is_remote) worker.remote_steals.add(1 + others);
      return true;
    }
  };
  for (const std::vector<unsigned>& ring : rings_[thief]) {
    const auto size = static_cast<unsigned>(ring.size());
    unsigned at = random.below(size);
    for (unsigned i = 0; i < size; ++i) {
      const bool is_remote = is_placed_ && topology_.cpu_of(thief).node != topology_.cpu_of(ring[at]).node;
      if (has_job(workers_[ring[at]]->lane(), is_remote)) return found;
      if (++at == size) at = 0;
    }
  }
  guests_.any_of([&](Lane& lane) { return has_job(lane); });
  return found;
}

Idle::Visible SchedulerCore::is_work_visible(bool off_main) const noexcept {
  using Visible = Idle::Visible;
  if (shared_jobs_.has_for_all()) return Visible::kJobs;
  for (const auto& worker : workers_) {
    if (!worker->lane().looks_empty()) return Visible::kJobs;
  }
  if (guests_.any_of([](const Lane& lane) { return !lane.looks_empty(); })) return Visible::kJobs;
  if (!shared_jobs_.has_off_main()) return Visible::kNothing;
  return off_main ? Visible::kJobs : Visible::kJobsOfOthers;
}

bool SchedulerCore::is_cpu_taken(unsigned cpu, const Worker& asking) const noexcept {
  for (const auto& worker : workers_) {
    if (worker.get() != &asking && worker->lane().was_on(cpu)) return true;
  }
  return guests_.any_of([cpu](const Lane& lane) { return lane.was_on(cpu); });
}

// --- what the machine grants ---

void SchedulerCore::look_at_limits(os::Nanoseconds now) noexcept {
  Allowance::Change change;
  try {
    std::vector<os::ThreadId> threads;
    for (const auto& worker : workers_) {
      if (worker->is_main()) continue;  // its mask is the program's affair
      const os::ThreadId thread = worker->thread();
      if (thread == 0) {  // it starts just now
        threads.clear();
        break;
      }
      threads.push_back(thread);
    }
    change = allowance_.look(now, threads);
  } catch (const std::bad_alloc&) {
    return;
  }
  if (change.first == change.end) return;
  // And the first of those that rest now, who goes on looking.
  const unsigned end = std::min(change.end + 1, worker_count());
  for (unsigned i = change.first; i < end; ++i) workers_[i]->tell_change();
}

os::Nanoseconds SchedulerCore::next_look_of(unsigned resting) noexcept {
  const unsigned active = allowance_.active();
  if (resting != active) return os::kNever;
  const auto is_awake = [this, active] {
    for (unsigned i = 0; i < active; ++i) {
      if (!workers_[i]->is_main() && !is_parked(i)) return true;
    }
    return false;
  };
  if (is_awake()) return os::now() + Allowance::kLookEvery;
  watcher_sleeps_.store(true, std::memory_order_relaxed);
  heavy_fence();  // partner: after_park()
  if (!is_awake()) return os::kNever;
  watcher_sleeps_.store(false, std::memory_order_relaxed);
  return os::now() + Allowance::kLookEvery;
}

void SchedulerCore::wake_watcher() noexcept {
  if (!watcher_sleeps_.exchange(false, std::memory_order_relaxed)) return;
  const unsigned first = allowance_.active();
  if (first < worker_count()) workers_[first]->tell_change();
}

// While it drains, nobody is: it is by going to sleep that workers find out that all is done.
bool SchedulerCore::may_be_hot(bool hot) noexcept {
  if (!hot_regions_.any() || state_.load(std::memory_order_relaxed) != State::kOpen) return false;
  const unsigned most = allowance_.most_hot();
  return hot ? !hot_regions_.has_too_many(most) : hot_regions_.enter(most);
}

void SchedulerCore::open_hot_region() {
  fork_mark_.check();
  if (state_.load(core_order::kAdmit) != State::kOpen) throw Error(ErrorCode::kStopped, "the scheduler is shut down");
  hot_regions_.open();
  if (allowance_.most_hot() == 0) return;
  for (const auto& worker : workers_) worker->tell_change();
}

bool SchedulerCore::is_stopping() const noexcept { return stopping_.load(core_order::kSeeStop); }

void SchedulerCore::relax() const noexcept {
  if (is_oversubscribed()) {
    os::yield_thread();
  } else {
    // Some 80 ns: a thief that looks more often only takes the owner's cache line away.
    for (int i = 0; i < 8; ++i) cpu_relax();
  }
}

// --- guests -------------------------------------------------------------------------------------------------------------

Lane* SchedulerCore::enter_guest() {
  fork_mark_.check();
  if (state_.load(core_order::kAdmit) != State::kOpen) throw Error(ErrorCode::kStopped, "the scheduler is shut down");
  Lane* const lane = guests_.enter(*this, *idle_);
  if (lane == nullptr) return nullptr;
  idle_->enter_guest();
  this_thread().lane = lane;
  return lane;
}

void SchedulerCore::leave_guest(Lane& lane) noexcept {
  this_thread().lane = nullptr;
  guests_.leave(lane);
  idle_->leave_guest([this] { return is_work_visible(true) == Idle::Visible::kJobs; });
}

// --- users --------------------------------------------------------------------------------------------------------------

Stats SchedulerCore::stats() const {
  Stats sum;
  for (const auto& worker : workers_) {
    sum.jobs += worker->jobs.read();
    sum.steals += worker->steals.read();
    sum.raids += worker->raids.read();
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
    sum.slab_bytes += worker->lane().blocks.bytes();
    sum.heap_blocks += worker->lane().heap_blocks.read();
  }
  sum.active_workers = allowance_.active();
  const CpuThrottling throttled = allowance_.throttled();
  sum.throttled_periods = throttled.periods;
  sum.throttled_ns = throttled.nanoseconds;
  sum.blocking_calls = blocking_.calls.read();
  sum.blocking_threads = blocking_.threads.read();
  return sum;
}

std::vector<StackUse> SchedulerCore::stack_use() const { return sites_ ? sites_->uses() : std::vector<StackUse>(); }

void SchedulerCore::trim(std::size_t but) {
  call_on_each_worker([but] { this_thread().lane->worker()->fibers().trim(but); });
  stacks_.trim();
}

// A worker runs the empty job when it has returned from the job before, and from the end of a fiber: neither is suspended once it has
// notified those that wait for it.
void SchedulerCore::quiesce() {
  call_on_each_worker([] {});
}

template <class F>
void SchedulerCore::call_on_each_worker(const F& function) {
  FiberHost* const here = this_thread().host;
  for (unsigned i = 0; i < worker_count(); ++i) {
    if (here != nullptr) here->prepare_wait();  // the last moment at which the wait can fail
    CallJob call(function, []() noexcept { this_thread().lane->finished.add(1); });
    JobMessage message;
    submit_placed(call, message, {.on = worker(i)});
    call.join();
  }
}

void SchedulerCore::tell(const Report& report) const noexcept {
  if (options_.on_report) {
    options_.on_report(report);
  } else {
    os::write_error(report.text());
  }
}

std::string SchedulerCore::describe() const {
  std::string text = count_.reason;
  if (!is_forked()) text += allowance_.describe();
  text += options_.bind_caller ? "; the caller is worker 0" : "; all on threads of their own";
  text += !capacities_.empty()   ? ", pinned, to the fastest cores first"
          : options_.pin_workers ? ", pinned"
          : is_placed_           ? ", pinned to their nodes"
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
  text += kAsymmetric ? "; idle protocol by membarrier" : "; idle protocol by fences (no membarrier)";
  return text;
}

}  // namespace jobs::inline JOBS_ABI::detail
