// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Worker that finds the next job when the own deque has none: the order of the queues,
// theft, search, sleep, and retirement while the machine allows fewer workers. Only the thread of
// the worker calls these functions.
#include <algorithm>
#include <atomic>

#include "jobs/base/annotate.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Steps of a search between two checks of the queues, if enough other workers search. The worker
// checks its inbox at each step, because at the end of nested joins workers wake each other in
// turn. It checks the queues about once per microsecond.
constexpr unsigned kLazySteps = 16;

}  // namespace

JOBS_NOINLINE Job* Worker::take_or_steal() noexcept {
  if (shared_.is_excess(rank_)) [[unlikely]]
    return nullptr;
  if (Job* const job = shared_.shared_jobs().take(!is_main_)) return job;
  Job* const job = steal_one();
  return job != nullptr || !shared_.shared_jobs().has_lower() ? job : take_lower();
}

Job* Worker::steal_one() noexcept {
  if (last_theft_ != 0 && !pause_after_theft()) return nullptr;
  WorkerContext* private_victim = nullptr;
  const std::uint64_t before = steals.read();
  Job* const job = sweep(private_victim);
  if (private_victim == nullptr || job != nullptr) {
    requested_at_ = 0;
  } else {
    await_publication(*private_victim);
  }
  if (job == nullptr) return nullptr;
  last_batch_ = static_cast<unsigned>(steals.read() - before);
  last_theft_ = os::now();
  forks_before_theft_ = context_.stolen_forks.read();
  return job;
}

// One sweep over all victims, nearest first, each ring from a random start. Returns null if all
// deques were empty or private. If one was private, the parameter is set to its WorkerContext; this
// sweep has requested that its owner publishes the jobs. pre: the own deque is empty.
Job* Worker::sweep(WorkerContext*& private_victim) noexcept {
  private_victim = nullptr;
  chaos::inject_delay();
  if (chaos::injects_failure()) return nullptr;
  const std::span<WorkerRemote* const> workers = shared_.workers();
  const Topology& topology = shared_.topology();
  for (const std::vector<unsigned>& ring : rings_) {
    const auto size = static_cast<unsigned>(ring.size());
    unsigned at = random_.below(size);
    for (unsigned i = 0; i < size; ++i) {
      const bool is_remote = shared_.is_pinned_to_nodes() &&
                             topology.cpu_of(index_).node != topology.cpu_of(ring[at]).node;
      if (Job* const job = steal_from(workers[ring[at]]->context(), is_remote, private_victim))
        return job;
      if (++at == size) at = 0;
    }
  }
  Job* job = nullptr;
  shared_.participants().any_of([&](WorkerContext& context) {
    return (job = steal_from(context, false, private_victim)) != nullptr;
  });
  return job;
}

// Steals from one victim. Of a batch, all jobs but the first go to the own deque. Sets the last
// parameter if it is null and the deque of the victim is private.
Job* Worker::steal_from(WorkerContext& victim, bool is_remote,
                        WorkerContext*& private_victim) noexcept {
  if (victim.looks_empty()) return nullptr;
  StealResult<Job> result = victim.steal();
  while (result.status == StealStatus::kLost) result = victim.steal();
  if (result.status == StealStatus::kPrivate && private_victim == nullptr)
    private_victim = &victim;  // the nearest
  if (result.item == nullptr) return nullptr;
  // A theft from another node costs more, so it takes more jobs.
  // A participant may steal from this worker only while all jobs here serve its wait (Lineage).
  const bool has_participants = shared_.participants().any();
  const unsigned others = batch_ > 1 && !has_participants
                              ? context_.take_from(victim, is_remote ? 2 * batch_ : batch_ - 1)
                              : 0;
  steals.add(1 + others);
  if (WorkerContext* const measured = victim.is_external() ? nullptr : &victim;
      measured != last_victim_) {
    last_victim_ = measured;
    pace_.reset();
  }
  if (is_remote) remote_steals.add(1 + others);
  if (has_participants) inherit_lineage(victim, *result.item, others == 0);
  return result.item;
}

// Sets the lineage for the stolen job, which this worker runs next. `is_alone`: the own deque is
// empty.
JOBS_COLD void Worker::inherit_lineage(const WorkerContext& victim, const Job& stolen,
                                       bool is_alone) noexcept {
  const void* wait = nullptr;
  if (is_alone && victim.is_external()) {
    wait = &stolen;  // The participant joins this job, or the part of a loop sets its own wait.
  } else if (is_alone) {
    const Worker& owner = *victim.worker();
    if (owner.lineage_.is_set()) wait = owner.lineage_.wait(owner.epoch());
  }
  lineage_.set(wait, epoch() + 1);  // The start of the job adds 1.
}

// An owner that forks publishes its deque within nanoseconds of the request. If an owner computes
// for a long time without an access to its deque, the thief forces the publication.
JOBS_COLD void Worker::await_publication(WorkerContext& private_victim) noexcept {
  if (shared_.forced_publication().force_if_due(private_victim, requested_at_))
    forced_publications.add(1);
}

// Searches, then sleeps. Returns a job when it finds one. Returns null when a fiber is ready, when
// an affine job has arrived, or when the scheduler stops.
JOBS_COLD Job* Worker::wait_for_job() noexcept {
  reset_float_control();
  preferred_in_a_row_ = 0;
  requested_at_ = 0;
  oldest_since_ = 0;  // The deque is empty.
  lower_since_ = {};  // No upper job waits.
  const os::Nanoseconds start = os::now();
  if (shared_.is_check_due(start))
    shared_.check_limits(start);  // before this worker counts as searching
  shared_.observe_outside(seen_outside_);
  os::Nanoseconds spin_until = rhythm_.begin(start, shared_.search_time());
  os::Nanoseconds arrival = 0;  // of the work that this worker was woken for; 0: it searched
  const auto record_idle_time = [&] { idle_ns.add(static_cast<std::uint64_t>(os::now() - start)); };
  const auto leave = [&](Job* job) {
    rhythm_.found(arrival != 0 ? arrival : os::now());
    stop_spinning();
    leave_search();
    record_idle_time();
    return job;
  };
  if (shared_.is_excess(rank_) && retire()) {
    record_idle_time();
    return nullptr;
  }
  bool eager = idle_.start_searching();
  bool by_token = false;  // the last wake-up
  for (;;) {
    for (;;) {
      if (share_.is_exceeded() && has_offer()) [[unlikely]] {
        leave_search();
        offer_jobs();
        eager = idle_.start_searching();
      }
      if (Job* const job = take_job()) return leave(job);
      const os::Nanoseconds now = os::now();
      if (!parker_.inbox.is_empty()) drain(true);
      fire_timers(now);
      if (has_ready() || shared_.is_stopping()) return leave(nullptr);
      if (!parker_.affine.empty())
        continue;  // The inbox is empty then, so park() would not see the job.
      if (shared_.is_excess(rank_)) break;
      // Enough other workers search, and this worker takes the CPU from an awake thread.
      if (!eager && requested_at_ == 0 && shared_.is_crowded()) break;
      if (now >= spin_until && requested_at_ == 0 && timers_.next_check() > now) {
        if (!keep_spinning(now)) break;
        spin_until = now + shared_.search_time();
      }
      if (is_main_ && shared_.shared_jobs().has_not_main())
        break;  // passes these jobs on in Idle::park()
      for (unsigned i = 0; i < (eager ? 1 : kLazySteps) && parker_.inbox.is_empty(); ++i) relax();
    }
    stop_spinning();

    if (shared_.is_excess(rank_)) [[unlikely]] {
      // Any visible job is for other workers. So this worker leaves the search in the way of a
      // searcher that has found work: the last searcher wakes another worker.
      leave_search();
      if (retire()) {
        record_idle_time();
        return nullptr;
      }
      eager = idle_.start_searching();
      spin_until = os::now() + shared_.search_time();
      continue;
    }
    os::Nanoseconds release_at = os::kNever;
    if (context_.has_surplus() && !(is_main_ && shared_.shared_jobs().has_not_main()))
        [[unlikely]] {
      const os::Nanoseconds now = os::now();
      release_at = context_.release_unused(now);
      if (release_at <= now) {
        spin_until = now;  // Checks every queue once between two steps.
        continue;
      }
    }
    shared_.before_park();
    if (has_ready()) continue;  // A shutdown on this worker has waited for it.
    const os::Nanoseconds expected = rhythm_.sleep(os::now());
    const os::Nanoseconds opens_at = shared_.shared_jobs().background_opens_at();
    const Idle::Woken woken = park(std::min(expected, release_at), opens_at,
                                   by_token ? Idle::StandBy::kAlways  // It was in vain.
                                            : Idle::StandBy::kIfCrowded);
    by_token = woken == Idle::Woken::kToSearch;
    arrival = by_token ? parker_.woken_at : 0;
    expect_long_jobs();
    if (woken == Idle::Woken::kByMessage) {
      drain(true);
      // This worker has not searched, so it need not wake the next searcher. The message affects
      // only its sender and this worker.
      if (has_ready() || !parker_.affine.empty()) {
        if (opens_at != os::kNever) shared_.shared_jobs().offer_background(idle_);
        rhythm_.found(os::now());
        record_idle_time();
        return nullptr;
      }
      eager = idle_.start_searching();
    }
    const os::Nanoseconds now = os::now();
    spin_until = rhythm_.wake(now, !by_token && now >= expected, shared_.search_time());
  }
}

// Sleeps after a search in vain, at most until the deadline, or until the budget of background jobs
// opens. `opens_at`: kNever, if no job has waited for the budget. If one has come meanwhile, the
// last look finds work, so that the worker reads the time. Returns what has ended the sleep.
JOBS_COLD Idle::Woken Worker::park(os::Nanoseconds deadline, os::Nanoseconds opens_at,
                                   Idle::StandBy may_stand_by) noexcept {
  parks.add(1);
  shared_.notify_idle(index_);
  context_.clear_cpu();
  const bool is_placed_by_waker = !is_main_ && shared_.may_place_threads();
  parker_.sleeper.store(is_placed_by_waker ? thread() : 0, std::memory_order_relaxed);
  const Idle::Woken woken = idle_.park(
      index_, std::min({timers_.next_check(), deadline, opens_at}),
      is_main_ ? Idle::StandBy::kNever : may_stand_by,
      [this, opens_at] {
        shared_.observe_outside(seen_outside_);
        const Idle::Visible visible = shared_.is_work_visible(!is_main_);
        const bool needs_time = visible == Idle::Visible::kNothing && opens_at == os::kNever &&
                                shared_.shared_jobs().background_opens_at() != os::kNever;
        return needs_time ? Idle::Visible::kJobs : visible;
      },
      [this] { return shared_.cpu_time(); }, [this] { return all_progress(); });
  trace_wake();
  migrate_off_busy_cpu();
  shared_.after_park();
  if (parker_.requests != nullptr) answer_requests(true);
  return woken;
}

// This worker has slept.
void Worker::trace_wake() const noexcept {
  const FiberHost* const self = this;
  detail::trace(shared_.trace(), TraceEvent::kWake, reinterpret_cast<std::uintptr_t>(self));
}

// Returns whether each awake worker has started a job or continued another fiber since the last
// call. Returns false while participants exist, whose progress is unknown. The worker on standby
// calls it.
JOBS_COLD bool Worker::all_progress() noexcept {
  bool all = !shared_.participants().any();
  for (const WorkerRemote* const remote : shared_.workers()) {
    Worker& worker = *remote->context().worker();
    const std::uint64_t epoch = worker.epoch();
    // Relaxed: one worker at a time stands by, and an old value only makes it leave.
    const std::uint64_t last = worker.noted_epoch_.load(std::memory_order_relaxed);
    worker.noted_epoch_.store(epoch, std::memory_order_relaxed);
    if (epoch == last && !shared_.is_parked(remote->index())) all = false;
  }
  return all;
}

// Leaves the search because there is something to run.
JOBS_NOINLINE void Worker::leave_search() noexcept {
  idle_.found_work(index_, [this] { return is_any_work_visible(); });
}

// As a look of the parking protocol. As in park(), a worker has to wait for the budget of
// background jobs. Not inlined: the steps of Idle call it three times.
JOBS_NOINLINE bool Worker::is_any_work_visible() const noexcept {
  return shared_.is_work_visible(!is_main_) != Idle::Visible::kNothing ||
         shared_.shared_jobs().background_opens_at() != os::kNever;
}

// Called when the search time of this worker has passed. Returns true if the worker continues its
// search, because a ParallelPhase is open.
JOBS_COLD bool Worker::keep_spinning(os::Nanoseconds now) noexcept {
  if (++spin_searches_ > ParallelPhases::kMaxSearches || !shared_.may_spin(is_spinning()))
    return false;
  spinning_.store(true, std::memory_order_relaxed);
  os::yield_thread();  // Other threads may need this CPU.
  if (shared_.is_check_due(now)) shared_.check_limits(now);
  return true;
}

void Worker::stop_spinning() noexcept {
  spin_searches_ = 0;
  if (!is_spinning()) return;
  spinning_.store(false, std::memory_order_relaxed);
  shared_.leave_spinning();
}

// Retires this excess worker. It sleeps, and wakes up only for work that no other worker may run.
// It counts neither as searching nor as parked, so no worker wakes it for a common job. Other
// workers take the jobs of its deque. Returns true if this worker has work, or if the scheduler
// stops. Returns false if the worker is active again.
JOBS_COLD bool Worker::retire() noexcept {
  bool has_something = false;
  requested_at_ = 0;  // withdraws the request for private jobs
  pass_jobs_on();
  while (!has_something && shared_.is_excess(rank_)) {
    shared_.before_park();
    if (has_ready() || !parker_.affine.empty() || shared_.is_stopping()) {
      has_something = true;
      break;
    }
    const os::Nanoseconds release_at = release_unused_memory();
    parks.add(1);
    shared_.notify_idle(index_, true);
    context_.clear_cpu();
    retired_.store(true, std::memory_order_relaxed);
    parker_.inbox.park(std::min({timers_.next_check(), shared_.next_check_of(index_), release_at}));
    trace_wake();
    retired_.store(false, std::memory_order_relaxed);
    context_.record_cpu();
    drain(true);
    const os::Nanoseconds now = os::now();
    fire_timers(now);
    if (shared_.is_check_due(now)) shared_.check_limits(now);
    has_something = has_ready() || !parker_.affine.empty() || shared_.is_stopping();
  }
  if (!shared_.is_excess(rank_)) shared_.after_park();
  return has_something;
}

// Runs the steps of WorkerContext::release_unused() that are due, but no step while other work is
// due. Returns the time of the next step.
JOBS_COLD os::Nanoseconds Worker::release_unused_memory() noexcept {
  while (context_.has_surplus()) {
    const os::Nanoseconds now = os::now();
    if (!parker_.inbox.is_empty() || timers_.next_check() <= now) return now;
    if (const os::Nanoseconds at = context_.release_unused(now); at > now) return at;
  }
  return os::kNever;
}

// The kernel may have stopped the waker for this worker, whose search must not delay it. If the
// waker computes, this worker has to leave: it would find the next job milliseconds later.
JOBS_ALWAYS_INLINE void Worker::yield_to_waker() noexcept {
  const os::Nanoseconds begin = os::now();
  os::yield_thread();
  if (os::now() - begin <= WakerHabit::kMostWait) return;
  parker_.shares_cpu = false;
  idle_.waker_habit().waited();
  os::leave_cpu(os::kNoCpu);
  context_.record_cpu();
}

// One step of a search.
JOBS_COLD void Worker::relax() noexcept {
  if (shared_.is_crowded()) {
    os::yield_thread();
  } else if (parker_.shares_cpu) {
    yield_to_waker();
  } else {
    // About 80 ns. Shorter intervals only take the cache line from the owner more often.
    for (int i = 0; i < 8; ++i) cpu_relax();
  }
}

// Returns whether another worker or an external thread runs on that CPU, by its last record.
bool Worker::is_cpu_busy(unsigned cpu) const noexcept {
  for (const WorkerRemote* const worker : shared_.workers()) {
    if (worker != this && worker->context().ran_on(cpu)) return true;
  }
  return shared_.participants().any_of(
      [cpu](const WorkerContext& context) { return context.ran_on(cpu); });
}

// Moves a woken worker away from the CPU of another worker. A kernel wakes a thread on the CPU of
// its waker if all other CPUs seem busy. In a virtual machine, a halted CPU seems busy. Without the
// move, the two threads would share one CPU for milliseconds, while another CPU idles.
//
// The waker may have excluded its own CPU from the mask of this worker. The waker adds it after the
// token, unless the kernel has stopped the waker before that.
JOBS_COLD void Worker::migrate_off_busy_cpu() noexcept {
  const bool is_crowded = shared_.is_crowded();
  const unsigned excluded = parker_.excluded_cpu.load(std::memory_order_relaxed);
  if (!is_crowded && is_cpu_busy(os::current_cpu())) os::leave_cpu(excluded);
  if (excluded != os::kNoCpu) {
    os::include_cpu(excluded);
    parker_.excluded_cpu.store(os::kNoCpu, std::memory_order_relaxed);
  }
  if (!is_crowded) context_.record_cpu();
}

}  // namespace jobs::inline JOBS_ABI::detail
