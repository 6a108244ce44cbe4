// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Worker: one OS thread that runs jobs, and the home of its fibers. Its loop runs on a fiber and
// calls jobs as plain functions, so a job that never waits costs no stack and no switch. When a job
// waits, the worker continues with a ready fiber, or with another fiber that enters the loop.
//
// SchedulerCore owns the workers. Only the thread of the worker may call the functions, with these
// exceptions: any thread may call post(), describe(), post_stop(), progress(), oldest_since(), of()
// and the public functions of WorkerRemote, and may read the counters. README.md has the order of
// the work on one worker.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/random.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/fiber_pools.hpp"
#include "jobs/fiber/overflow.hpp"
#include "jobs/fiber/stack_fiber.hpp"
#include "jobs/runtime/parking/fiber_share.hpp"
#include "jobs/runtime/parking/idle_rhythm.hpp"
#include "jobs/runtime/worker/lineage.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/theft_pace.hpp"
#include "jobs/runtime/worker/time_slice.hpp"
#include "jobs/runtime/worker/timers.hpp"
#include "jobs/runtime/worker/worker_remote.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Worker final : public FiberHost, public WorkerRemote {
 public:
  JOBS_HEAP_OPERATORS

  Worker(Shared& shared, Idle& idle, StackAllocator& stacks, std::size_t max_idle_stacks,
         unsigned index);
  ~Worker();

  // Worker `index` of a scheduler. The cast is correct because each remote is the base of a Worker.
  static Worker& of(const Shared& shared, unsigned index) noexcept {
    return static_cast<Worker&>(*shared.workers()[index]);
  }

  // Makes the calling thread this worker: sets its registers, its thread state and its root fiber.
  // unbind() restores the thread state. pre of unbind(): all fibers are idle.
  void bind();
  void unbind() noexcept;
  // The context of the thread before bind(), if it is a worker of another scheduler; otherwise
  // null.
  WorkerContext* outer_context() const noexcept { return outer_context_; }
  // Runs on the root fiber, before a bound thread leaves: runs affine jobs and fibers of this
  // worker until none is left, and takes no other jobs.
  void run_pinned_to_end() noexcept;
  // Serves the inbox, and returns whether this worker has affine jobs, fibers or deadlines.
  bool has_pinned() noexcept;
  // Ends the life of this worker on a bound thread: leaves its jobs to other workers and releases
  // its fibers, because an idle fiber refers to its thread. Calls unbind(). pre: !has_pinned().
  void vacate() noexcept;
  // Serves jobs on the bound thread until the scheduler stops.
  void serve();

  // --- FiberHost ---
  void prepare_wait() override;
  void arm(Deadline& deadline) noexcept override { timers_.arm(deadline); }
  void disarm(Deadline& deadline) noexcept override { timers_.disarm(deadline); }
  void post(Wakeup& wakeup) noexcept override {
    if (WaitObserver* const observer = wait_observer()) [[unlikely]]
      observer->on_wake(*this, wakeup);
    parker_.inbox.push(wakeup);
  }
  const char* describe() const noexcept override { return name_.data(); }

  // Starts a fiber for `entry`, with a stack of that class. The fiber runs after the fibers that
  // are ready already and have at least its rank. Throws Error(kNoStack), std::bad_alloc.
  void start_fiber(FiberEntry entry, void* argument, StackClass stack_class, std::uint8_t rank);
  // As start_fiber(), but runs the fiber at once. When it waits or ends, the current fiber
  // continues before all other ready fibers.
  void start_now(FiberEntry entry, void* argument, StackClass stack_class);
  // The current fiber calls it before it waits for the end of `job`, which it has pushed to this
  // worker. If `job` is the next work of this worker in any case, takes it and runs `entry` at
  // once, as start_now() does. So the wait finds the job done, unless the job itself waits.
  // Otherwise does nothing. Throws Error(kNoStack), as the wait would.
  void run_awaited(Job& job, FiberEntry entry, void* argument);
  // The entry of a fiber that has ended returns the result. If the stack is large enough for jobs,
  // the fiber continues as a loop fiber. The result is the next fiber of this worker.
  StackFiber* continue_as_loop() noexcept;
  // Runs the ready fibers, and a new job every few turns. The current fiber stays ready.
  void yield();
  // As yield(), but a new job runs, too, if one is visible. For a thread that no other worker
  // relieves of its jobs.
  void yield_to_job();
  // Runs the next critical job, if there is one, before the current fiber continues. The job runs
  // on another fiber, because it could need a mutex that the current frame owns. Without a stack
  // for that fiber, or under a spin lock, does nothing.
  void yield_to_critical() noexcept { yield_to(Priority::kCritical); }
  // The same for a high job. Inside of such a job it does nothing: otherwise each high job would
  // wait for all later ones.
  void yield_to_high() noexcept;
  // Runs the newest job of the deque before the current fiber continues, for
  // SchedulerMode::kInline. As yield_to_critical(), does nothing without a stack or under a spin
  // lock, and also if too many fibers wait for such jobs inside of each other.
  JOBS_COLD static void run_pushed(Worker& self) noexcept;
  // Returns whether the current fiber has run for a time slice. The slice begins at the first call
  // after a switch to the fiber.
  bool is_slice_over() noexcept;

  // Serves the inbox. Returns whether affine jobs for this worker have arrived and have not run
  // yet.
  bool has_affine_jobs() noexcept {
    poll();
    return !parker_.affine.empty();
  }

  // Serves the inbox. Returns whether this worker, or a deque of another worker, has work that goes
  // before jobs of a lower priority, or whether the time of background jobs is spent. Such a job
  // calls it to give way.
  bool has_work_before(Priority lower) noexcept;
  // A job that runs another job: hooks, reports and traces show the latter.
  struct Call : Job {
    using Body = void (*)(Worker& worker, Call& call);
    explicit Call(Body function) noexcept : Job(&run_call), body(function) {}
    const Body body;
  };
  // The body of a Call runs its job with it. `function`: runs the job; null: Job::run().
  void run_inner(Job& job, Job::Run function = nullptr) noexcept;
  // From now on, each fiber knows whether it runs a lower job. Any thread.
  static void record_lower_jobs() noexcept;
  // Returns whether the loop has any other work than its deque. A job calls it before it takes the
  // next job itself.
  bool has_other_work() const noexcept;

  // Any thread may read the figures of the result. Only this thread may call its other functions.
  FiberPools& fibers() noexcept { return fibers_; }
  // Visits the root fiber first, then all fibers that have a stack.
  void for_each_fiber(const std::function<void(const StackFiber&)>& visit) const;
  using FiberHost::for_each_ready;
  bool has_timers() const noexcept { return !timers_.empty(); }
  // Returns whether code of the bound thread itself runs, and not a job.
  bool is_on_root() const noexcept { return current_ == &*root_; }
  // Makes the worker check the state of the scheduler, whether it is parked or not. Any thread,
  // once.
  void post_stop() noexcept { parker_.inbox.push(stop_message_); }

  // The loop that records the current job, and events for the observer of traces. The library does
  // not refer to it, so that only programs with an observer contain it.
  JOBS_EXPORT JOBS_COLD static StackFiber* traced_loop(void* self) noexcept;

  // Marks the worker in a forked child process. The thread that has forked in a job of this worker
  // calls it. If the child reaches the loop again, it aborts with an error message.
  void orphan() noexcept { parker_.inbox.push(orphan_message_); }

  // The current job, which has just begun, serves the wait of an external participant for `wait`.
  // Jobs that the deque has already may serve none.
  void serve(const void* wait) noexcept { lineage_.start(wait, epoch(), context_.looks_empty()); }
  static constexpr std::uint64_t kNotServed = ~std::uint64_t{0};
  // Returns the epoch, if each job in the deque serves that wait (Lineage); otherwise kNotServed.
  // No job serves a wait without an object, a sleep for example. Any thread.
  std::uint64_t serves_in_epoch(const void* wait) const noexcept {
    const std::uint64_t now = epoch();
    return wait != nullptr && lineage_.wait(now) == wait ? now : kNotServed;
  }

  // A number that grows with each job, switch, sleep and yield. If it is constant while work is
  // ready, a job occupies the worker. Any thread.
  std::uint64_t progress() const noexcept;
  // The time since which the oldest job of the deque may have waited for newer jobs; 0: none waits,
  // or the worker has not checked since. Any thread.
  os::Nanoseconds oldest_since() const noexcept { return oldest_since_.load_remote(); }

  SingleWriterCounter jobs, steals, remote_steals, forced_publications, switches, parks, overruns,
      idle_ns, fiber_offers;
  SingleWriterCounter timeouts, late_timeouts, max_lateness_ns;
  // The longest time that the oldest job of the deque may have waited for newer jobs.
  SingleWriterCounter longest_wait_ns;

 private:
  bool report_held_lock() const;
  void switch_away() noexcept override;
  // The loop. Returns the next fiber; the entry of a fiber passes the result on.
  StackFiber* loop() noexcept { return loop_(this); }
  static StackFiber* plain_loop(void* self) noexcept;
  // Records which job runs, for reports. Compiled for size: few programs use it.
  JOBS_COLD static StackFiber* recording_loop(void* self) noexcept;
  enum class Records : std::uint8_t { kNothing, kJobs, kEvents };
  template <Records kRecords>
  StackFiber* loop_as() noexcept;
  // Inlined: with three loops, clang++ would call it in each of them.
  JOBS_ALWAYS_INLINE void poll() noexcept {
    chaos::inject_delay();
    if (!parker_.inbox.is_empty()) drain(false);
    if (!timers_.empty() && ++clock_turns_ >= clock_every_) check_clock();
  }
  void check_clock() noexcept;
  void drain(bool idle) noexcept;
  void answer_requests(bool idle) noexcept;
  void fire_timers(os::Nanoseconds now) noexcept;
  template <Records kRecords>
  void run(Job& job) noexcept;
  JOBS_COLD void trace_theft(std::uint64_t before) noexcept;
  Job* take_job() noexcept;
  // Returns whether jobs of upper priorities may exist that lie in no deque. The jobs of deques pay
  // nothing else for them.
  bool has_jobs_outside() const noexcept {
    return parker_.affine.has_upper() || shared_.shared_jobs().has_upper();
  }
  Job* take_fairly() noexcept;
  Job* take_or_steal() noexcept;
  Job* take_of(Priority priority) noexcept;
  Job* take_affine_of(Priority priority) noexcept;
  Job* take_after_background() noexcept;
  // Takes a low or a background job if one is due although upper jobs wait.
  Job* take_lower_in_turn(os::Nanoseconds now) noexcept {
    if (shared_.shared_jobs().has_lower()) [[unlikely]]
      return take_aged(now);
    lower_since_ = {};
    return nullptr;
  }
  Job* take_lower() noexcept;
  Job* take_lower_of(Priority priority) noexcept;
  static void run_call(Job& call);
  static Job* as_lower(Worker& worker, Priority priority, Job& job) noexcept;
  Job* take_aged(os::Nanoseconds now) noexcept;
  bool is_aged(Priority priority, os::Nanoseconds now) noexcept;
  bool is_job_due() noexcept;
  bool is_lower_due() noexcept;
  Job* take_preferred() noexcept;
  Job* take_in_turn() noexcept;
  Job* take_oldest(os::Nanoseconds now) noexcept;
  Job* take_common(bool shared_first) noexcept;
  bool is_turn_of_shared(os::Nanoseconds now) const noexcept;
  void begin_check(os::Nanoseconds now) noexcept;
  void pass_jobs_on() noexcept;
  // The length of the next jobs is unknown. The next check comes soon.
  void expect_long_jobs() noexcept { checks_in_ = check_every_ = kMinCheckEvery; }
  void yield_to(Priority priority) noexcept;
  static StackFiber* run_in_loop(void* job) noexcept;
  bool has_new_job() const noexcept;
  Job* wait_for_job() noexcept;
  bool keep_spinning(os::Nanoseconds now) noexcept;
  void stop_spinning() noexcept;
  bool retire() noexcept;
  void trace_wake() const noexcept;
  os::Nanoseconds release_unused_memory() noexcept;
  Job* take_affine() noexcept;
  Job* steal_one() noexcept;
  Job* sweep(WorkerContext*& private_victim) noexcept;
  Job* steal_from(WorkerContext& victim, bool is_remote, WorkerContext*& private_victim) noexcept;
  void inherit_lineage(const WorkerContext& victim, const Job& stolen, bool is_alone) noexcept;
  // Changes when the worker starts a job, switches to another fiber, or spawns a detached job.
  JOBS_ALWAYS_INLINE std::uint64_t epoch() const noexcept {
    return jobs.read() + switches.read() + context_.spawned.read();
  }
  FiberShare::Fibers count_fibers() const noexcept;
  bool has_offer() const noexcept;
  void offer_jobs() noexcept;
  bool pause_after_theft() noexcept;
  TheftPace::Step step_pace(os::Nanoseconds now) noexcept;
  bool rest(TheftPace::Step& step) noexcept;
  bool is_other_work_visible(const WorkerContext& victim) const noexcept;
  void await_publication(WorkerContext& private_victim) noexcept;
  void relax() noexcept;
  void yield_to_waker() noexcept;
  void migrate_off_busy_cpu() noexcept;
  bool is_cpu_busy(unsigned cpu) const noexcept;
  Idle::Woken park(os::Nanoseconds deadline, os::Nanoseconds opens_at,
                   Idle::StandBy may_stand_by) noexcept;
  void leave_search() noexcept;
  bool is_any_work_visible() const noexcept;
  bool all_progress() noexcept;
  void switch_to_fiber(StackFiber& next) noexcept;
  void run_before_current(StackFiber& fiber, FiberState state) noexcept;
  bool take_turn_of_ready() noexcept;
  StackFiber* take_ready() noexcept;
  StackFiber* acquire_loop() noexcept;
  StackFiber* wait_without_stack() noexcept;
  void reserve_for_wait();

  Shared& shared_;
  Idle& idle_;
  // One of the three loops, as the options and the observer of traces require.
  const FiberEntry loop_;
  Lineage lineage_;
  Wakeup stop_message_{nullptr};
  Wakeup orphan_message_{nullptr, MessageQueue::kRequest};
  unsigned spin_searches_ = 0;
  Timers timers_;
  FiberPools fibers_;
  FiberShare share_;
  std::optional<AlternateSignalStack> signal_stack_;
  std::optional<AdoptedFiber> root_;
  std::optional<ThreadRegisters> registers_;
  // Victims in rings of equal distance, nearest ring first.
  const std::vector<std::vector<unsigned>> rings_;
  Random random_;
  TimeSlice slice_;
  // Ready fibers own stacks and locks, so they run before jobs. The limit is needed because two
  // fibers that wake each other would starve jobs.
  static constexpr unsigned kReadyInARow = 3;
  // The next ready fiber that this count brings to 0 runs only if no new job is visible.
  unsigned ready_left_ = kReadyInARow + 1;
  // The check for a new job that brings this count to 0 also checks whether a lower job is due.
  static constexpr unsigned kLowerEvery = 12;
  unsigned lower_in_ = kLowerEvery;
  // A check comes once in kMinCheckEvery to kMaxCheckEvery jobs. It finds the oldest job of the
  // deque, and the limits of the machine. The maximum is prime, so that it is no multiple of a
  // period of the program.
  static constexpr unsigned kMinCheckEvery = 2;
  static constexpr unsigned kMaxCheckEvery = 61;
  static constexpr unsigned kLeaving = ~0u;
  // The number that decides whether the worker is an excess worker: its index, or kLeaving while
  // its bound thread is about to leave.
  unsigned rank_;
  FiberHost* outer_host_ = nullptr;
  WorkerContext* outer_context_ = nullptr;
  // The number of fibers that wait in run_pushed(), and its maximum.
  unsigned pushers_ = 0;
  static constexpr unsigned kMaxPushers = 256;
  // Jobs until the next check.
  unsigned checks_in_ = kMinCheckEvery;
  // The number of jobs between two checks, and the time of the last check.
  unsigned check_every_ = kMinCheckEvery;
  os::Nanoseconds checked_at_ = 0;
  unsigned checks_ = 0;
  // The value of `jobs` before the last job that the shared queue had in its turn, and the time.
  std::uint64_t before_shared_ = 0;
  os::Nanoseconds shared_at_ = 0;
  // The time since which the oldest job of the own deque may have waited; 0: none waits.
  OwnerWritten<os::Nanoseconds> oldest_since_{0};
  unsigned preferred_in_a_row_ = 0;
  // The jobs from outside that this worker has counted when it last ran out of work.
  std::uint64_t seen_outside_ = 0;
  // Whether the next common job between preferred jobs comes from the shared queue.
  bool is_shared_due_ = false;
  // The epoch() that the worker on standby has read last. Other workers write it.
  Atomic<std::uint64_t> noted_epoch_{0};
  // The time since which a low or a background job may have waited for upper jobs; 0: none waits.
  std::array<os::Nanoseconds, 2> lower_since_{};
  // Runs the lower job that the worker has just taken, and records its priority in the fiber.
  struct LowerCall : Call {
    LowerCall(Job& taken, std::uint8_t levels) noexcept
        : Call(&run), job(taken), below_normal(levels) {}
    static void run(Worker& worker, Call& call);
    Job& job;
    const std::uint8_t below_normal;
  };
  // A LowerCall, from the first lower job on that as_lower() has replaced.
  alignas(LowerCall) std::byte lower_call_[sizeof(LowerCall)];
  // Returns what a worker runs in place of a lower job (as_lower()). Null until the first spawn of
  // a lower job, so that programs without such jobs do not contain it. Relaxed: a worker that
  // misses it runs the job itself, and its waits count as those of a normal job.
  static std::atomic<Job* (*)(Worker&, Priority, Job&) noexcept> replace_lower_;
  // A bit for each priority: whether the next job is an affine job of this worker.
  unsigned own_due_ = 0;
  // The fiber that runs a high job inside of a loop; null: none, or an older one.
  const FiberCore* high_in_loop_ = nullptr;
  // Whether this worker counts in the BackgroundLimit. The next take_job() leaves the limit. It
  // comes before a ready fiber continues.
  bool in_background_ = false;
  OwnerWritten<unsigned> lone_yields_{0};
  // The time of the last theft; 0: no pause is due.
  os::Nanoseconds last_theft_ = 0;
  // The length of the last pause after a theft.
  os::Nanoseconds theft_pause_ = 0;
  // The worker context of the last theft; null: it was no worker's.
  WorkerContext* last_victim_ = nullptr;
  TheftPace pace_;
  IdleRhythm rhythm_{shared_.options().spin_budget};
  // The number of jobs of the last theft.
  unsigned last_batch_ = 0;
  // The intended number of jobs of the next theft.
  unsigned batch_ = 1;
  // The stolen forks that had run on this worker before the last theft.
  std::uint64_t forks_before_theft_ = 0;
  // The time since which a request for private jobs has been pending; 0: none is pending.
  os::Nanoseconds requested_at_ = 0;
  // Turns since the last reading of the clock, and the number of turns between two readings.
  unsigned clock_turns_ = 0;
  unsigned clock_every_ = 1;
  os::Nanoseconds last_check_ = 0;
  std::array<char, 24> name_;
};

}  // namespace jobs::inline JOBS_ABI::detail
