// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared: the state that all workers of one scheduler share. It serves workers, fibers, jobs and
// external threads of the scheduler at run time. It refers to workers only by their remotes
// (worker_remote.hpp). SchedulerCore derives from it, lies in a higher layer, and starts and stops
// the workers. No code in this room or below needs SchedulerCore. Any thread may call any function,
// unless a comment restricts it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/base/process_generation.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/base/worker_count.hpp"
#include "jobs/job_hooks.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/memory/node_stacks.hpp"
#include "jobs/runtime/memory/stack_profile.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/parking/concurrency_limit.hpp"
#include "jobs/runtime/parking/forced_publication.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/parking/parallel_phases.hpp"
#include "jobs/runtime/worker/block_resource.hpp"
#include "jobs/runtime/worker/limits_monitor.hpp"
#include "jobs/runtime/worker/participant_slots.hpp"
#include "jobs/runtime/worker/quiescence.hpp"
#include "jobs/runtime/worker/shared_jobs.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/runtime/worker/worker_remote.hpp"
#include "jobs/runtime/worker/worker_threads.hpp"
#include "jobs/scheduler_options.hpp"
#include "jobs/spawn_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace shared_order {
// [scheduler.1] A worker that sees the stop sees all writes before it.
JOBS_ORDER(kStop, release);     // partner: kSeeStop
JOBS_ORDER(kSeeStop, acquire);  // partner: kStop
}  // namespace shared_order

class JOBS_EXPORT Shared {
 public:
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  // Returns whether this process is a forked child of the process that created the scheduler. If
  // so, the scheduler has no threads, and submission throws Error(kForked).
  bool is_forked() const noexcept { return generation_.is_inherited(); }

  // --- submission ---
  // Submits a job. If the calling thread is a worker of this scheduler, pushes the job to the deque
  // of this worker. `is_counted`: as for SharedJobs::push(). Throws Error(kStopped),
  // std::bad_alloc; then the job is not submitted.
  void submit(Job& job, bool is_counted = false);
  // Submits a part of work that was submitted and has not finished. Never refuses.
  void resubmit(Job& job, bool is_counted = false) noexcept;
  // As submit(), but at the place and with the priority of the options. `message`: a part of the
  // job. Also throws Error(kBadArgument).
  void submit_with_options(Job& job, JobMessage& message, const SpawnOptions& options);
  // As submit_with_options(), for one of the five priorities.
  void submit_valid(Job& job, JobMessage& message, const SpawnOptions& options);
  // As submit_valid(), for a job of a lower priority that has a counter: a wait may lift it.
  void submit_counted(CountedJob& job, JobMessage& message, const SpawnOptions& options);
  // As resubmit(), but with options. pre: check_place() has accepted their place.
  void resubmit_with_options(Job& job, JobMessage& message, const SpawnOptions& options) noexcept;
  // Throws Error(kBadArgument) if the scheduler does not have the place.
  void check_place(const Place& place) const;
  // Throws Error(kBadArgument) for a value that is none of Priority.
  static void check_priority(Priority priority);
  // Returns whether a job for `place` may run on `worker`.
  bool is_at(const Place& place, const WorkerRemote& worker) const noexcept;
  // Reports the exception of a detached job that has ended on a worker of this scheduler.
  void unhandled(std::exception_ptr exception) const noexcept;
  // As unhandled() of a scheduler without on_unhandled: terminates the program.
  [[noreturn]] static void terminate_unhandled(std::exception_ptr exception) noexcept;
  // Throws Error(kStopped) if the scheduler has begun to shut down, Error(kForked) in a forked
  // child.
  void check_open() const;
  [[noreturn]] static void throw_stopped();
  // Counts a job from an external thread as submitted. Throws as check_open() does, with two
  // exceptions: the shutdown waits for an external participant, and for a fiber in blocking(), so
  // the jobs of the participant, and of the thread of the blocking call, are accepted.
  void admit();
  // Returns whether the calling thread runs a blocking call of a fiber of this scheduler. The fiber
  // waits meanwhile, so the scheduler is not stopped.
  bool is_in_blocking_call() const noexcept { return this_thread().blocking_for == this; }

  // Returns the number of jobs that were submitted and have not ended, or a greater number.
  std::uint64_t outstanding() const noexcept;

  // --- workers ---
  unsigned worker_count() const noexcept { return count_.count; }
  // All workers, in the order of their indices.
  std::span<WorkerRemote* const> workers() const noexcept { return remotes_; }
  // Returns whether worker 0 is for a bound thread.
  bool has_main_thread() const noexcept { return bound_slots_ != 0; }
  // The number of workers that have no thread of their own. They have the lowest indices.
  unsigned bound_slots() const noexcept { return bound_slots_; }
  // Returns whether the calling thread is a worker of this scheduler.
  bool is_own_worker() const noexcept {
    const WorkerContext* const context = this_context();
    return context != nullptr && !context->is_external() && &context->shared() == this;
  }
  const Topology& topology() const noexcept { return topology_; }
  // Returns whether workers are bound, and the machine has more than one memory node.
  bool is_pinned_to_nodes() const noexcept { return is_pinned_to_nodes_; }
  // The capacities of the workers, if they are bound to cores of several kinds
  // (Topology::capacities). Otherwise empty.
  std::span<const unsigned> capacities() const noexcept { return capacities_; }
  bool is_parked(unsigned index) const noexcept {
    return idle_->is_parked(index) || remotes_[index]->is_retired();
  }
  // Returns whether the worker sleeps, has no thread, or searches only because a ParallelPhase is
  // open.
  bool is_idle(unsigned index) const noexcept {
    return is_parked(index) || remotes_[index]->is_spinning() || remotes_[index]->is_vacant();
  }

  // --- looking for work ---
  SharedJobs& shared_jobs() noexcept { return shared_jobs_; }
  ParticipantSlots& participants() noexcept { return participants_; }
  const ParticipantSlots& participants() const noexcept { return participants_; }
  // Decides when a thief may force a publication, within the budget of the process.
  ForcedPublication& forced_publication() noexcept { return forced_publication_; }
  // Counts external threads that submit jobs as awake, if jobs have come since the count `seen`.
  // Workers call it when they run out of work.
  void observe_outside(std::uint64_t& seen) noexcept {
    const std::uint64_t count = quiescence_.submitted_outside();
    idle_->standby().set_outside(count != seen);
    seen = count;
  }
  // Checks every queue. A worker calls it as its last check before it sleeps. `not_main`: the
  // worker may run not-main jobs.
  Idle::Visible is_work_visible(bool not_main) const noexcept;
  bool is_stopping() const noexcept { return stopping_.load(shared_order::kSeeStop); }
  // As Quiescence::before_park().
  void before_park() noexcept;
  // As Quiescence::between_turns().
  void between_turns() noexcept {
    quiescence_.between_turns([this] { before_park(); });
  }
  // A worker calls it after it has slept. It wakes the first retired worker, if the latter has
  // stopped its checks of the limits.
  void after_park() noexcept {
    monitor_.after_park([this] { wake_monitor(); });
  }
  // Moves the threads of the scheduler that have not begun to other CPUs. Called by a thread that
  // has pushed a job to its WorkerContext.
  void move_new_threads() noexcept {
    if (threads_.are_moves_allowed()) [[unlikely]]
      threads_.move_new(std::span(remotes_).subspan(bound_slots_));
  }

  // --- limits of the machine ---
  // The time for which a worker searches before it sleeps.
  JOBS_ALWAYS_INLINE os::Nanoseconds search_time() const noexcept {
    return concurrency_limit_.search_time(is_crowded());
  }
  // Returns whether more workers and external threads are awake than CPUs exist. A hint.
  bool is_crowded() const noexcept { return idle_->is_crowded(); }
  // Returns whether the scheduler has more workers than CPUs.
  bool is_oversubscribed() const noexcept { return concurrency_limit_.is_oversubscribed(); }
  // Returns whether a waker may choose the CPU of a worker, because the options bind no worker.
  bool may_place_threads() const noexcept { return places_threads_; }
  // Returns the CPU time of all workers in nanoseconds.
  os::Nanoseconds cpu_time() const noexcept;
  // Returns whether the worker exceeds the present limit of the machine.
  bool is_excess(unsigned worker) const noexcept { return concurrency_limit_.is_excess(worker); }
  bool is_check_due(os::Nanoseconds now) const noexcept {
    return concurrency_limit_.is_check_due(now);
  }
  // Reads the limits of the machine, and notifies each worker affected by a change. Workers call it
  // when is_check_due() returns true.
  void check_limits(os::Nanoseconds now) noexcept;
  // The time until which a retired worker may sleep. The first retired worker checks the limits in
  // intervals while another worker is awake.
  os::Nanoseconds next_check_of(unsigned retired) noexcept;

  // --- ParallelPhases ---
  // Counts one more open phase, and wakes the workers. Throws Error(kStopped), Error(kForked).
  void open_parallel_phase();
  void close_parallel_phase() noexcept { parallel_phases_.close(); }
  // Returns whether a worker that has searched for search_time() may continue, because a phase is
  // open. If so, counts the worker as spinning. `spinning`: the worker is counted already.
  bool may_spin(bool spinning) noexcept;
  void leave_spinning() noexcept { parallel_phases_.leave(); }

  // --- SchedulerScopes ---
  // Counts the scopes of external threads, for the check of the destructor.
  void enter_scope() noexcept { scopes_.fetch_add(1, std::memory_order_relaxed); }
  void leave_scope() noexcept { scopes_.fetch_sub(1, std::memory_order_relaxed); }

  // --- external participants ---
  // Makes the calling external thread a participant, and returns its WorkerContext. Returns null if
  // all slots are taken, or if the scheduler has just closed: a job that the caller submits instead
  // is refused. A closed scheduler accepts a thread in a blocking call. Throws Error(kStopped),
  // Error(kForked), std::bad_alloc.
  WorkerContext* enter_participant();
  void leave_participant(WorkerContext& context) noexcept;
  // A participant holds a seat while it computes (Idle). It returns the seat before it parks, and
  // takes it again afterwards.
  // With SchedulerOptions::extra_callers there are no seats: all workers may compute beside it.
  void take_seat() noexcept {
    if (!options_.extra_callers) idle_->take_seat();
  }
  void return_seat(const WorkerContext& participant) noexcept;
  // --- options and observers ---
  const SchedulerOptions& options() const noexcept { return options_; }
  // Returns whether fibers are measured or traced, or their run time is accounted.
  bool accounts_fibers() const noexcept { return accounts_fibers_; }
  bool accounts_run_time() const noexcept { return options_.account_run_time; }
  // Returns whether reports name the job that a fiber runs.
  bool records_jobs() const noexcept { return records_jobs_; }
  // Null if stacks are neither measured nor sized automatically.
  StackProfile* stack_profile() const noexcept { return stack_profile_.get(); }
  os::Nanoseconds time_slice() const noexcept {
    return std::chrono::nanoseconds(options_.time_slice).count();
  }
  // The calling worker is about to sleep. `retires`: because it is an excess worker.
  JOBS_ALWAYS_INLINE void notify_idle(unsigned worker, bool retires = false) const noexcept {
    if (options_.on_idle) options_.on_idle(worker);
    detail::trace(trace_, TraceEvent::kPark, retires ? 1 : 0);
  }
  // Records an event of the calling worker, if a recorder is active.
  JOBS_ALWAYS_INLINE void trace_event(TraceEvent event) const noexcept {
    detail::trace(trace_, event);
  }
  // Null if the program has no recorder of traces.
  TraceObserver* trace() const noexcept { return trace_; }
  // Null if no observer is set.
  SwitchObserver* switch_observer() const noexcept { return observer_; }
  std::pmr::memory_resource& memory_resource() noexcept { return memory_resource_; }
  // Runs the detached job that the calling worker has just pushed. Null, except in
  // SchedulerMode::kInline: the job waits for its turn.
  using RunPushed = void (*)(Worker& worker) noexcept;
  RunPushed run_pushed() const noexcept { return run_pushed_; }
  // Submits the job of a spawn() or run(), for a thread of its own. Throws as submit() does. Null,
  // except in SchedulerMode::kThreads: submit() takes the job.
  using SubmitToThread = void (*)(Shared& shared, Job& job);
  SubmitToThread submit_to_thread() const noexcept { return submit_to_thread_; }

 protected:
  // The lock guards the queries of the constructor to the machine. The constructor releases it at
  // its end. Throws Error(kBadArgument), Error(kBadEnvironment).
  Shared(const SchedulerOptions& options, std::unique_lock<ThreadMutex> fork_lock);
  ~Shared();

  // Registers a worker. Only the constructing thread, before any worker starts.
  void add_worker(WorkerRemote& worker) noexcept;
  // As those of Quiescence, for the contexts of all workers and participants.
  bool has_ended() const noexcept { return outstanding() == 0; }
  std::uint64_t submitted() const noexcept;

  const ProcessGeneration generation_;
  const SchedulerOptions& options_;  // of the creator, which keeps them: a copy costs 1 KB of code
  const unsigned bound_slots_;
  const WorkerCount count_;
  const BackgroundBounds background_;
  const Topology topology_;
  const bool oversubscribed_;
  const bool is_pinned_to_nodes_;
  const std::vector<unsigned> capacities_;
  ConcurrencyLimit concurrency_limit_;
  NodeStacks stacks_;
  const std::unique_ptr<StackProfile> stack_profile_;
  TraceObserver* const trace_ =
      options_.job_hooks != nullptr ? observer_of(*options_.job_hooks) : trace_observer();
  const bool accounts_fibers_;
  // SchedulerCore sets it before it starts the workers.
  bool places_threads_ = false;
  // SchedulerCore sets records_jobs_ and observer_ before it creates the workers.
  bool records_jobs_ = false;
  SwitchObserver* observer_ = nullptr;
  // The constructor of Scheduler sets them, so that no other program contains the code.
  RunPushed run_pushed_ = nullptr;
  SubmitToThread submit_to_thread_ = nullptr;
  SharedJobs shared_jobs_{background_};
  BlockResource memory_resource_{*this};
  const HeapArray<Parker*> parkers_;
  const std::unique_ptr<Idle> idle_;
  const HeapArray<WorkerRemote*> remotes_;
  WorkerThreads threads_;
  ParticipantSlots participants_;
  Quiescence quiescence_;
  ForcedPublication forced_publication_;
  ParallelPhases parallel_phases_;
  Atomic<bool> stopping_{false};
  LimitsMonitor monitor_;
  // The number of open SchedulerScopes.
  Atomic<unsigned> scopes_{0};
  // The number of jobs that take a thread, in SchedulerMode::kThreads.
  Atomic<unsigned> job_threads_{0};

 private:
  [[noreturn]] JOBS_COLD void refuse_place(const Place& place) const;
  void admit_to_drain();
  Place place_here(const Place& place) const noexcept;
  void wake_monitor() noexcept;
  bool may_other_push() const noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
