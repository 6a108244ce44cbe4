// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: the workers of one scheduler and what they share: jobs, idle protocol, stacks, lanes of guests. Behind
// jobs::Scheduler; scheduler_core.cpp has the steps of starting and stopping.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobs/base/random.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/base/worker_count.hpp"
#include "jobs/runtime/allowance.hpp"
#include "jobs/runtime/block_resource.hpp"
#include "jobs/runtime/blocking_pool.hpp"
#include "jobs/runtime/forking.hpp"
#include "jobs/runtime/guest_lanes.hpp"
#include "jobs/runtime/hot_regions.hpp"
#include "jobs/runtime/idle.hpp"
#include "jobs/runtime/lane.hpp"
#include "jobs/runtime/node_stacks.hpp"
#include "jobs/runtime/placed_jobs.hpp"
#include "jobs/runtime/raids.hpp"
#include "jobs/runtime/scheduler_options.hpp"
#include "jobs/runtime/shared_jobs.hpp"
#include "jobs/runtime/spawn_options.hpp"
#include "jobs/runtime/stack_sites.hpp"
#include "jobs/runtime/switch_hooks.hpp"
#include "jobs/runtime/watchdog.hpp"
#include "jobs/runtime/worker.hpp"
#include "jobs/stats.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT SchedulerCore {
 public:
  explicit SchedulerCore(const SchedulerOptions& options);
  ~SchedulerCore();
  SchedulerCore(const SchedulerCore&) = delete;
  SchedulerCore& operator=(const SchedulerCore&) = delete;
  void shutdown();
  // This process is a child of the one that made it, so that it has no threads. Submitting, shutdown() and trim() throw Error(kForked)
  // then; it must not be destroyed.
  bool is_forked() const noexcept { return fork_mark_.is_inherited(); }

  // --- submission, any thread ---
  // To the deque of the calling worker if it is one of ours. Throws Error(kStopped), std::bad_alloc: the job was not taken then.
  void submit(Job& job);
  // A part of something that was submitted and has not finished: never refused.
  void resubmit(Job& job) noexcept;
  // As submit(), to where the options say. `message`: a part of the job. Throws Error(kBadArgument) as well.
  void submit_placed(Job& job, JobMessage& message, const SpawnOptions& options);
  // As resubmit(), to where check_place() has found nothing wrong with.
  void resubmit_placed(Job& job, JobMessage& message, const SpawnOptions& options) noexcept;
  // Throws Error(kBadArgument) if there is no such place here.
  void check_place(const Place& place) const;
  [[noreturn]] JOBS_COLD void refuse_place(const Place& place) const;
  // Whether a job for that place may run on that worker.
  bool is_at(const Place& place, const Worker& worker) const noexcept;
  // Runs the jobs for the bound thread that have arrived. By that thread.
  void run_main_thread_jobs();
  // A detached job has ended on a worker of ours.
  void unhandled(std::exception_ptr exception) noexcept;

  // --- workers ---
  // Whether worker 0 is the bound thread.
  bool has_main_thread() const noexcept { return options_.bind_caller; }
  SharedJobs& shared_jobs() noexcept { return shared_jobs_; }
  // One sweep over all victims, nearest first, each ring from a random start. Null: nothing was there, or it was hidden: then
  // `hidden` is a lane that has been asked for it. Of a `batch` the others go to the thief's lane. pre: that is empty.
  Job* steal(unsigned thief, Random& random, unsigned batch, Lane*& hidden) noexcept;
  // When such a lane may be raided, as far as the process's budget goes.
  Raids& raids() noexcept { return raids_; }
  // Looks at every queue: the last look before a worker sleeps.
  Idle::Visible is_work_visible(bool off_main) const noexcept;
  bool is_stopping() const noexcept;
  // A worker is about to sleep: the moment at which a shutdown may find that all is done.
  void before_park() noexcept;
  // How long a worker searches before it sleeps.
  os::Nanoseconds search_time() const noexcept { return allowance_.search_time(); }
  bool is_oversubscribed() const noexcept { return allowance_.is_oversubscribed(); }  // more workers than CPUs
  // Whether the machine grants us less than this worker at present.
  bool is_surplus(unsigned worker) const noexcept { return allowance_.is_surplus(worker); }
  bool is_look_due(os::Nanoseconds now) const noexcept { return allowance_.is_look_due(now); }
  // What it grants now; tells the workers whom it concerns. By workers, when is_look_due().
  void look_at_limits(os::Nanoseconds now) noexcept;
  // For how long a resting worker may sleep: the first of them goes on looking as long as another worker is awake.
  os::Nanoseconds next_look_of(unsigned resting) noexcept;
  // A worker has woken up: somebody may have to look again.
  void after_park() noexcept {
    light_fence();  // it is awake for whoever looks; partner: next_look_of()
    if (watcher_sleeps_.load(std::memory_order_relaxed)) [[unlikely]]
      wake_watcher();
  }
  // Whether a worker that has searched for that long may go on, because somebody wants it to be hot. `hot`: it is counted as such.
  bool may_be_hot(bool hot) noexcept;
  void leave_hot() noexcept { hot_regions_.leave(); }
  // Whether another worker, or a guest, runs there, as far as is known.
  bool is_cpu_taken(unsigned cpu, const Worker& asking) const noexcept;
  // A job lies on the lane of the calling thread: the others of the scheduler's threads that have not begun yet, do so elsewhere.
  void move_new_threads() noexcept {
    if (new_threads_.load(std::memory_order_relaxed) == NewThreads::kMayMove) [[unlikely]]
      move_threads();
  }
  // One step of a search.
  void relax() const noexcept;

  // Whether any of the two.
  bool notes_fibers() const noexcept { return notes_fibers_; }
  bool accounts_run_time() const noexcept { return options_.account_run_time; }
  // Null: nobody wants to know.
  StackSites* stack_sites() const noexcept { return sites_.get(); }
  BlockingPool& blocking_pool() noexcept { return blocking_; }
  os::Nanoseconds time_slice() const noexcept { return std::chrono::nanoseconds(options_.time_slice).count(); }
  void tell_idle(unsigned worker) const noexcept {
    if (options_.on_idle) options_.on_idle(worker);
  }
  // Null: nobody wants to know.
  SwitchObserver* switch_observer() noexcept { return hooks_.wanted() ? &hooks_ : nullptr; }

  // --- guests ---
  // A lane for the calling unbound thread; null if there are too many already.
  Lane* enter_guest();
  void leave_guest(Lane& lane) noexcept;

  // --- users ---
  // The calling thread is one of our workers.
  bool is_own_worker() const noexcept {
    const Lane* const lane = this_thread().lane;
    return lane != nullptr && !lane->is_guest() && &lane->core() == this;
  }
  // Throws Error(kStopped), Error(kForked).
  void open_hot_region();
  void close_hot_region() noexcept { hot_regions_.close(); }
  unsigned worker_count() const noexcept { return count_.count; }
  // While the CoreList has the scheduler, or its watchdog runs.
  Worker& worker_at(unsigned index) const noexcept { return *workers_[index]; }
  // Whether reports are to say which job a fiber runs.
  bool notes_jobs() const noexcept { return watch_limits_.any(); }
  // Of the workers, where they are bound to cores of several kinds (Topology::capacities); else empty.
  std::span<const unsigned> capacities() const noexcept { return capacities_; }
  bool is_parked(unsigned index) const noexcept { return idle_->is_parked(index) || workers_[index]->is_resting(); }
  // Asleep, or looking for work for longer than it would without a HotRegion.
  bool is_idle(unsigned index) const noexcept { return is_parked(index) || workers_[index]->is_hot(); }
  // A job waits that a sleeping worker could take, and nobody looks for it: for a moment, or the idle protocol is broken.
  bool neglects_a_job() const noexcept {
    return idle_->does_nobody_look() && is_work_visible(false) == Idle::Visible::kJobs;
  }
  // To the user's hook, or to the standard error.
  void tell(const Report& report) const noexcept;
  std::pmr::memory_resource& memory_resource() noexcept { return memory_resource_; }
  Stats stats() const;
  std::string describe() const;
  std::vector<StackUse> stack_use() const;
  // All idle stacks but so many of each worker and size give their memory back. Returns when all workers have done it. Throws
  // Error(kStopped), Error(kNoStack), std::bad_alloc.
  void trim(std::size_t but);
  // Returns when each worker has left the jobs that ended before. Throws the same.
  void quiesce();

 private:
  template <class F>
  void call_on_each_worker(const F& function);

  enum class State : std::uint32_t { kOpen, kDraining, kStopped };
  // Whether threads may have to be moved that have not begun, somebody is doing it, or it is too late.
  enum class NewThreads : std::uint32_t { kMayMove, kMove, kStay };

  void start_threads();
  // Binds the calling thread, which is to be that worker's, as the options say.
  void bind_thread(unsigned index) const noexcept;
  // Where what that worker owns is to lie.
  os::Node node_of(unsigned index) const noexcept;
  void move_threads() noexcept;
  void stop_threads() noexcept;
  bool is_quiescent() const noexcept;
  void admit();
  Place place_here(const Place& place) const noexcept;
  void wait_until_quiescent();
  bool recall_daemons();
  void wake_watcher() noexcept;

  const ForkMark fork_mark_;
  const SchedulerOptions options_;
  std::unique_lock<ThreadMutex> asking_;  // until the members below know what the machine is
  const WorkerCount count_;
  const Topology topology_;
  const bool oversubscribed_;
  const bool is_placed_;  // workers are bound, and there is more than one memory node
  const std::vector<unsigned> capacities_;
  Allowance allowance_;
  const WatchLimits watch_limits_;
  SwitchHooks hooks_;
  NodeStacks stacks_;
  const std::unique_ptr<StackSites> sites_;
  const bool notes_fibers_;
  BlockingPool blocking_;
  SharedJobs shared_jobs_;
  BlockResource memory_resource_{*this};
  std::vector<Sleeper*> sleepers_;
  std::unique_ptr<Idle> idle_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::vector<std::vector<unsigned>>> rings_;  // of each worker: victims of equal distance, nearest first
  std::vector<Thread> threads_;
  GuestLanes guests_;
  alignas(kDestructiveDistance) Atomic<std::uint64_t> spawned_outside_{0};
  Atomic<std::uint64_t> refused_outside_{0};
  Raids raids_;
  HotRegions hot_regions_;
  Atomic<State> state_{State::kOpen};
  Atomic<bool> stopping_{false};
  Atomic<NewThreads> new_threads_{NewThreads::kStay};
  Atomic<bool> watcher_sleeps_{false};  // a hint: the first resting worker looks no more
  Event drained_;
  std::optional<Watchdog> watchdog_;
};

// Whether there may be urgent jobs, or some with a place; all that they cost the others.
inline bool Worker::has_special() const noexcept {
  return !sleeper_.placed.empty() || core_.shared_jobs().has_special();
}

}  // namespace jobs::inline JOBS_ABI::detail
