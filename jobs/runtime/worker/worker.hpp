// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Worker: one OS thread that runs jobs, and the home of its fibers. Its loop runs on a fiber and calls jobs as plain functions:
// a job that never waits costs no stack and no switch. When a job waits, the worker goes on with a ready fiber, or with another
// fiber that enters the loop. Internal to the runtime; only post() may be called from other threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "jobs/base/random.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/fiber_pools.hpp"
#include "jobs/fiber/overflow.hpp"
#include "jobs/fiber/stack_fiber.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/time_slice.hpp"
#include "jobs/runtime/worker/timers.hpp"
#include "jobs/runtime/worker/worker_remote.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Worker final : public FiberHost, public WorkerRemote {
 public:
  Worker(Shared& shared, Idle& idle, StackDepot& stacks, std::size_t max_idle_stacks, unsigned index);
  ~Worker();

  // Worker `index` of a scheduler: each remote is part of a Worker.
  static Worker& of(const Shared& shared, unsigned index) noexcept {
    return static_cast<Worker&>(*shared.workers()[index]);
  }

  // Makes the calling thread this worker: registers, thread state, root fiber. unbind() undoes it; all fibers are idle then.
  void bind();
  void unbind() noexcept;
  // Serves jobs on the bound thread until the scheduler stops.
  void serve();

  // --- FiberHost ---
  void prepare_wait() override;
  void arm(Deadline& deadline) noexcept override { timers_.arm(deadline); }
  void disarm(Deadline& deadline) noexcept override { timers_.disarm(deadline); }
  void post(Wakeup& wakeup) noexcept override { sleeper_.inbox.push(wakeup); }
  const char* describe() const noexcept override { return name_.data(); }

  // Starts a fiber of its own for `entry`, with a stack of that class; it runs after those that are ready now. Throws Error(kNoStack),
  // std::bad_alloc.
  void start_fiber(FiberEntry entry, void* argument, StackClass stack_class);
  // As start_fiber(), but runs it at once. The current fiber goes on as soon as that one waits or ends, before all others.
  void start_now(FiberEntry entry, void* argument, StackClass stack_class);
  // For the current fiber, which is going to wait for the end of a job that was pushed here. If that is what this worker would do
  // next in any case, it is taken and `entry` runs at once, as in start_now(): so the wait will find it done if the job does not
  // wait itself. Otherwise nothing happens. Throws Error(kNoStack), as the wait would.
  void run_awaited(Job& job, FiberEntry entry, void* argument);
  // What the entry of a fiber returns when it has ended: it goes on as one that serves jobs, if its stack is large enough for them.
  StackFiber* go_on() noexcept;
  // Lets others run: the ready fibers, and a new job every few turns. The current fiber stays ready.
  void yield();
  // Whether the current fiber has run for a time slice since it was first asked after a switch.
  bool is_slice_over() noexcept;

  // Jobs that were sent to this worker have arrived and wait for their turn. Looks into the inbox.
  bool has_placed_jobs() noexcept {
    poll();
    return !sleeper_.placed.empty();
  }

  // Whether its loop has something to look at besides its deque. For a job that takes the next one itself.
  bool has_more_to_do() const noexcept;

  // Any thread may ask for its figures; all else of it is for this thread.
  FiberPools& fibers() noexcept { return fibers_; }
  // The thread's own first, then all that have a stack. Its thread only.
  void for_each_fiber(const std::function<void(const StackFiber&)>& visit) const;
  using FiberHost::for_each_ready;
  bool has_timers() const noexcept { return !timers_.empty(); }
  // The code of the bound thread itself runs, not a job.
  bool is_on_root() const noexcept { return current_ == &*root_; }
  // Makes it look at the scheduler's state, parked or not. Any thread, once.
  void post_stop() noexcept { sleeper_.inbox.push(stop_message_); }

  // In a child process, on the thread that forked in a job of ours: if its loop is ever reached again, the child ends with a message.
  void orphan() noexcept { sleeper_.inbox.push(orphan_message_); }

  // Grows with each job, switch, sleep and yield: whoever sees it stand still sees a job that lets nobody run.
  std::uint64_t progress() const noexcept;

  Tally jobs, steals, remote_steals, raids, switches, parks, overruns, idle_ns;
  Tally timeouts, late_timeouts, max_lateness_ns;

 private:
  void switch_away() noexcept override;
  // The loop. The entry of a fiber returns its value.
  StackFiber* loop() noexcept { return loop_(this); }
  template <bool kNotesJobs>
  static StackFiber* enter_loop(void* self) noexcept {
    return static_cast<Worker*>(self)->loop_as<kNotesJobs>();
  }
  template <bool kNotesJobs>
  StackFiber* loop_as() noexcept;
  void poll() noexcept;
  void look_at_clock() noexcept;
  void drain(bool idle) noexcept;
  void answer_inspections(bool idle) noexcept;
  void fire_timers(os::Nanoseconds now) noexcept;
  template <bool kNotesJobs>
  void run(Job& job) noexcept;
  Job* take_job() noexcept;
  // There may be urgent jobs, or jobs with a place: this look is all that they cost the other jobs.
  bool has_special() const noexcept { return !sleeper_.placed.empty() || shared_.shared_jobs().has_special(); }
  Job* take_in_turn() noexcept;
  Job* take_elsewhere() noexcept;
  bool is_turn_of_shared() noexcept;
  Job* take_common(bool shared_first) noexcept;
  bool has_new_job() const noexcept;
  Job* wait_for_job() noexcept;
  bool stay_hot(os::Nanoseconds now) noexcept;
  void cool_down() noexcept;
  bool rest() noexcept;
  Job* take_placed() noexcept;
  Job* steal_one() noexcept;
  Job* sweep(Lane*& hidden) noexcept;
  Job* steal_from(Lane& victim, bool is_remote, Lane*& hidden) noexcept;
  bool pause_after_theft() noexcept;
  void wait_for_answer(Lane& hidden) noexcept;
  void relax() const noexcept;
  void settle() noexcept;
  bool is_cpu_taken(unsigned cpu) const noexcept;
  void switch_to_fiber(StackFiber& next) noexcept;
  void run_before_current(StackFiber& fiber, FiberState state) noexcept;
  bool is_turn_of_ready() noexcept;
  StackFiber* take_ready() noexcept;
  StackFiber* acquire_loop() noexcept;
  StackFiber* wait_without_stack() noexcept;
  void reserve_for_wait();

  Shared& shared_;
  Idle& idle_;
  const FiberEntry loop_;  // it notes which jobs it runs, or, if nobody wants to know, not
  Wakeup stop_message_{nullptr};
  Wakeup orphan_message_{nullptr, MessageQueue::kInspect};
  unsigned hot_searches_ = 0;
  Timers timers_;
  FiberPools fibers_;
  std::optional<AlternateSignalStack> signal_stack_;
  std::optional<AdoptedFiber> root_;
  std::optional<ThreadRegisters> registers_;
  const std::vector<std::vector<unsigned>> rings_;  // victims of equal distance, nearest first
  Random random_;
  TimeSlice slice_;
  unsigned ready_streak_ = 0;
  // Every so many jobs: one from outside before the own ones, so that a busy worker cannot starve external threads. A prime, so
  // that it does not fall in step with programs.
  static constexpr unsigned kSharedEvery = 61;
  unsigned turns_to_shared_;  // until then
  unsigned preferred_in_a_row_ = 0;
  unsigned looks_at_shared_ = 0;
  bool is_shared_due_ = false;  // at the next common job between preferred ones
  bool is_own_due_ = false;     // at the next urgent job: one for this worker only
  Shown<unsigned> alone_turns_{0};
  os::Nanoseconds last_theft_ = 0;        // 0: long ago
  os::Nanoseconds theft_pause_ = 0;       // the last one
  unsigned last_batch_ = 0;               // so many jobs it brought
  unsigned batch_ = 1;                    // so many the next one is to bring
  std::uint64_t forks_before_theft_ = 0;  // stolen ones that had run here
  os::Nanoseconds asked_at_ = 0;          // for hidden jobs, without an answer so far; 0: not
  unsigned clock_turns_ = 0;              // since the last look at the clock ...
  unsigned clock_every_ = 1;              // ... and how many there are to be
  os::Nanoseconds last_look_ = 0;
  std::array<char, 24> name_;
};

}  // namespace jobs::inline JOBS_ABI::detail
