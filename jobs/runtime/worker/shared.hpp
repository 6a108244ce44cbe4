// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared: the state that all workers of one scheduler share, and all that a worker, a fiber, a job or an external thread needs of its
// scheduler at run time. It knows workers by their remotes only (worker_remote.hpp). SchedulerCore derives from it, starts and stops the
// workers, and is above them; nothing here or below needs SchedulerCore. Any thread, unless a comment says otherwise.
//
// Quiescence without a shared count: each lane tallies the jobs that were submitted there and the jobs that finished there, with one
// writer each; two counters do so for jobs from outside. is_quiescent() sums the finished jobs first. Both sums only grow, and
// finished <= submitted. So if the later sum of the submitted jobs equals the earlier sum of the finished ones, no job was outstanding in
// between, and only running jobs could submit more.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "jobs/base/process_generation.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/base/worker_count.hpp"
#include "jobs/runtime/memory/node_stacks.hpp"
#include "jobs/runtime/memory/stack_profile.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/parking/concurrency_limit.hpp"
#include "jobs/runtime/parking/forced_publication.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/parking/parallel_phases.hpp"
#include "jobs/runtime/worker/block_resource.hpp"
#include "jobs/runtime/worker/participant_slots.hpp"
#include "jobs/runtime/worker/shared_jobs.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/runtime/worker/worker_remote.hpp"
#include "jobs/runtime/worker/worker_threads.hpp"
#include "jobs/scheduler_options.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace shared_order {
JOBS_ORDER(kAdmit, seq_cst);    // [S1] count, then look at the state; partner: kDrain
JOBS_ORDER(kDrain, seq_cst);    // [S1] set the state, then look at the counts
JOBS_ORDER(kStop, release);     // [S2]
JOBS_ORDER(kSeeStop, acquire);  // [S2] partner: kStop
}  // namespace shared_order

class JOBS_EXPORT Shared {
 public:
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  // This process was forked from the one that made the scheduler, so the scheduler has no threads. Submission throws Error(kForked) then.
  bool is_forked() const noexcept { return fork_mark_.is_inherited(); }

  // --- submission ---
  // Pushes the job to the deque of the calling worker if that is a worker of this scheduler. Throws Error(kStopped), std::bad_alloc:
  // the job was not taken then.
  void submit(Job& job);
  // For a part of something that was submitted and has not finished: never refused.
  void resubmit(Job& job) noexcept;
  // As submit(), but sends the job where the options say. `message`: a part of the job. Throws Error(kBadArgument) as well.
  void submit_placed(Job& job, JobMessage& message, const SpawnOptions& options);
  // As resubmit(), to a place that check_place() has accepted.
  void resubmit_placed(Job& job, JobMessage& message, const SpawnOptions& options) noexcept;
  // Throws Error(kBadArgument) if the scheduler has no such place.
  void check_place(const Place& place) const;
  // A job for that place may run on that worker.
  bool is_at(const Place& place, const WorkerRemote& worker) const noexcept;
  // Passes on the exception of a detached job that has ended on a worker of this scheduler.
  void unhandled(std::exception_ptr exception) const noexcept;
  // As unhandled() where no scheduler has an on_unhandled: ends the program.
  [[noreturn]] static void terminate_unhandled(std::exception_ptr exception) noexcept;
  // Throws Error(kStopped), Error(kForked) once the scheduler has begun to shut down.
  void check_open() const;

  // --- workers ---
  unsigned worker_count() const noexcept { return count_.count; }
  // In the order of their indices.
  std::span<WorkerRemote* const> workers() const noexcept { return remotes_; }
  // Worker 0 is the bound thread.
  bool has_main_thread() const noexcept { return options_.bind_caller; }
  // The calling thread is a worker of this scheduler.
  bool is_own_worker() const noexcept {
    const Lane* const lane = this_context();
    return lane != nullptr && !lane->is_guest() && &lane->shared() == this;
  }
  const Topology& topology() const noexcept { return topology_; }
  // Workers are bound, and there is more than one memory node.
  bool is_placed() const noexcept { return is_placed_; }
  // The capacities of the workers, if they are bound to cores of several kinds (Topology::capacities); else empty.
  std::span<const unsigned> capacities() const noexcept { return capacities_; }
  bool is_parked(unsigned index) const noexcept { return idle_->is_parked(index) || remotes_[index]->is_resting(); }
  // The worker sleeps, or searches for longer than it would without a HotRegion.
  bool is_idle(unsigned index) const noexcept { return is_parked(index) || remotes_[index]->is_hot(); }

  // --- looking for work ---
  SharedJobs& shared_jobs() noexcept { return shared_jobs_; }
  GuestLanes& guests() noexcept { return guests_; }
  const GuestLanes& guests() const noexcept { return guests_; }
  // When a thief may raid a hidden lane, as far as the budget of the process goes.
  Raids& raids() noexcept { return raids_; }
  // Looks at every queue: the last look before a worker sleeps.
  Idle::Visible is_work_visible(bool off_main) const noexcept;
  bool is_stopping() const noexcept { return stopping_.load(shared_order::kSeeStop); }
  // A worker is about to sleep: a shutdown may find here that all jobs have finished.
  void before_park() noexcept;
  // A worker has woken up: the first resting worker may have to look again.
  void after_park() noexcept {
    light_fence();  // the worker is awake to all who look; partner: next_look_of()
    if (watcher_sleeps_.load(std::memory_order_relaxed)) [[unlikely]]
      wake_watcher();
  }
  // Moves the threads of the scheduler that have not begun: a job lies on the lane of the calling thread.
  void move_new_threads() noexcept { threads_.move_new(std::span(remotes_).subspan(has_main_thread() ? 1 : 0)); }

  // --- what the machine grants ---
  // How long a worker searches before it sleeps.
  os::Nanoseconds search_time() const noexcept { return allowance_.search_time(); }
  // There are more workers than CPUs.
  bool is_oversubscribed() const noexcept { return allowance_.is_oversubscribed(); }
  // The machine grants less than this worker at present.
  bool is_surplus(unsigned worker) const noexcept { return allowance_.is_surplus(worker); }
  bool is_look_due(os::Nanoseconds now) const noexcept { return allowance_.is_look_due(now); }
  // Asks the machine what it grants; notifies the workers concerned. By workers, when is_look_due().
  void look_at_limits(os::Nanoseconds now) noexcept;
  // How long a resting worker may sleep: the first of them keeps looking as long as another worker is awake.
  os::Nanoseconds next_look_of(unsigned resting) noexcept;

  // --- HotRegions ---
  // Throws Error(kStopped), Error(kForked).
  void open_hot_region();
  void close_hot_region() noexcept { hot_regions_.close(); }
  // A worker that has searched for search_time() may continue, because a region is open. `hot`: it is counted as hot already.
  bool may_be_hot(bool hot) noexcept;
  void leave_hot() noexcept { hot_regions_.leave(); }

  // --- guests ---
  // A lane for the calling unbound thread; null if there are too many guests. Throws Error(kStopped), Error(kForked), std::bad_alloc.
  Lane* enter_guest();
  void leave_guest(Lane& lane) noexcept;

  // --- options and observers ---
  const SchedulerOptions& options() const noexcept { return options_; }
  // Fibers are measured, or their run time is accounted.
  bool notes_fibers() const noexcept { return notes_fibers_; }
  bool accounts_run_time() const noexcept { return options_.account_run_time; }
  // Reports say which job a fiber runs.
  bool notes_jobs() const noexcept { return notes_jobs_; }
  // Null: stacks are neither measured nor sized automatically.
  StackSites* stack_sites() const noexcept { return sites_.get(); }
  os::Nanoseconds time_slice() const noexcept { return std::chrono::nanoseconds(options_.time_slice).count(); }
  void tell_idle(unsigned worker) const noexcept {
    if (options_.on_idle) options_.on_idle(worker);
  }
  // Null: no observer.
  SwitchObserver* switch_observer() const noexcept { return observer_; }
  std::pmr::memory_resource& memory_resource() noexcept { return memory_resource_; }

 protected:
  enum class State : std::uint32_t { kOpen, kDraining, kStopped };

  // `asking`: the lock under which the machine is asked what it is; released at the end. Throws Error(kBadArgument), Error(kBadEnvironment).
  Shared(const SchedulerOptions& options, std::unique_lock<ThreadMutex> asking);
  ~Shared();

  // Registers the worker of the next index. Before any worker starts.
  void add_worker(WorkerRemote& worker) noexcept;
  // Counts a job from outside as submitted. Throws Error(kStopped), Error(kForked).
  void admit();
  bool is_quiescent() const noexcept;

  const ForkMark fork_mark_;
  const SchedulerOptions options_;
  const WorkerCount count_;
  const Topology topology_;
  const bool oversubscribed_;
  const bool is_placed_;
  const std::vector<unsigned> capacities_;
  Allowance allowance_;
  NodeStacks stacks_;
  const std::unique_ptr<StackSites> sites_;
  const bool notes_fibers_;
  bool notes_jobs_ = false;  // SchedulerCore sets both before it makes the workers
  SwitchObserver* observer_ = nullptr;
  SharedJobs shared_jobs_;
  BlockResource memory_resource_{*this};
  std::vector<Sleeper*> sleepers_;
  const std::unique_ptr<Idle> idle_;
  std::vector<WorkerRemote*> remotes_;
  WorkerThreads threads_;
  GuestLanes guests_;
  alignas(kDestructiveDistance) Atomic<std::uint64_t> spawned_outside_{0};
  Atomic<std::uint64_t> refused_outside_{0};
  Raids raids_;
  HotRegions hot_regions_;
  Atomic<State> state_{State::kOpen};
  Atomic<bool> stopping_{false};
  Atomic<bool> watcher_sleeps_{false};  // a hint: the first resting worker looks no more
  Event drained_;

 private:
  [[noreturn]] JOBS_COLD void refuse_place(const Place& place) const;
  Place place_here(const Place& place) const noexcept;
  void wake_watcher() noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
