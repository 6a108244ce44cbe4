// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "jobs/base/chaos.hpp"
#include "jobs/base/error.hpp"
#include "jobs/base/hand_over.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/inspection.hpp"
#include "jobs/runtime/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Where many are ready they are cold, each on a page of its own. What the first steps of the one after the next touch lies around its
// control block, and comes while the next one runs.
void prefetch(const FiberCore& fiber) noexcept {
  constexpr std::ptrdiff_t kLine = 64;
  for (std::ptrdiff_t line = -8; line <= 2; ++line) {
    __builtin_prefetch(reinterpret_cast<const char*>(&fiber) + line * kLine);
  }
}

// Ready fibers hold stacks and locks, so they go first; but not for ever, or two fibers that wake each other would starve jobs.
constexpr unsigned kReadyInARow = 3;
// Every so many jobs: one from outside before the own ones, so that a busy worker cannot starve external threads. A prime, so
// that it does not fall in step with programs.
constexpr unsigned kSharedEvery = 61;
// Urgent jobs and those that only this worker may run go before all others; but after so many in a row one of the others is due.
constexpr unsigned kPreferredInARow = 60;
// A theft costs the victim two cache misses, of some 150 ns each: jobs that take no longer are better left to their owner. So there
// is a pause after each, twice as long after one that was not worth it.
constexpr os::Nanoseconds kTheftEvery = 500;
constexpr os::Nanoseconds kMaxTheftPause = 8'000;
constexpr os::Nanoseconds kWorthATheft = 250;  // what came of it kept the thief busy for so long
// Enough others search: this one mostly watches its inbox, because at the end of nested joins workers wake each other in turns, and
// looks at the queues about once a microsecond.
constexpr unsigned kLazySteps = 16;
// While a deadline is armed, the clock is read about so often, but at most once a turn and at least every so many turns: a turn
// may be a job of nanoseconds, which must not pay for it, or of milliseconds.
constexpr os::Nanoseconds kClockInterval = 50'000;
constexpr unsigned kMaxClockTurns = 64;
// A deadline served later than this counts as late in Stats.
constexpr os::Nanoseconds kLate = 1'000'000;

// How often a worker that has no stack to serve jobs on asks for one.
constexpr os::Nanoseconds kStackRetry = 1'000'000;

// Every so many yields with nothing to do here: a look at the other workers' jobs.
constexpr unsigned kElsewhereEvery = 16;
// A worker that never idles looks at what the machine grants every so many times that it looks at the shared queue.
constexpr unsigned kLimitsEvery = 16;

Job* job_of(const JobMessage* message) noexcept { return message != nullptr ? message->job : nullptr; }

}  // namespace

Worker::Worker(SchedulerCore& core, Idle& idle, StackDepot& stacks, std::size_t max_idle_stacks, unsigned index)
    : core_(core),
      idle_(idle),
      index_(index),
      is_main_(core.has_main_thread() && index == 0),
      loop_(core.notes_jobs() ? &enter_loop<true> : &enter_loop<false>),
      lane_(core, idle, this, core.worker_count() > 1, stacks.node()),
      sleeper_(*this),
      fibers_(*this, stacks, max_idle_stacks),
      random_(index + 1),
      turns_to_shared_(kSharedEvery) {
  observer_ = core.switch_observer();
  std::snprintf(name_.data(), name_.size(), "worker %u", index);
}

// Inlined: a frame between would be saved and restored at each switch.
JOBS_ALWAYS_INLINE void Worker::switch_to_fiber(StackFiber& next) noexcept {
  auto& from = static_cast<StackFiber&>(current());
  if (&from == &next) return;
  current_ = &next;
  switches.add(1);
  switch_to(from, next, *registers_);
}

Worker::~Worker() {
  sleeper_.drain();  // what was asked too late
  for (Wakeup* question = sleeper_.inspections; question != nullptr;) {
    Wakeup* const next = question->next;
    if (!change_.is(question)) Inspection::refuse(static_cast<InspectionPart&>(*question));
    question = next;
  }
}

void Worker::bind() {
  signal_stack_.emplace();
  registers_.emplace();
  root_.emplace(*this);
  current_ = &*root_;
  cpu_.store(os::current_cpu(), std::memory_order_relaxed);
  thread_.store(os::thread_id(), std::memory_order_relaxed);
  sanitizer::each_has_its_own(&errno, sizeof errno);
  this_thread() = {.host = this, .lane = &lane_};
  sanitizer::hand_over(&lane_);
}

void Worker::unbind() noexcept {
  this_thread() = {};
  current_ = nullptr;
  root_.reset();
  signal_stack_.reset();
}

void Worker::serve() {
  StackFiber& loop = fibers_.loops().acquire(loop_, this);
  switch_to_fiber(loop);
  sanitizer::take_over(static_cast<FiberHost*>(this));
}

// One turn: serve what others sent, then ready fibers, then jobs. Leaves when there is another fiber to go on with; this one is
// idle then.
template <bool kNotesJobs>
StackFiber* Worker::loop_as() noexcept {
  sanitizer::take_over(&lane_);
  for (;;) {
    poll();
    if (is_turn_of_ready()) {
      ++ready_streak_;
      return take_ready();
    }
    ready_streak_ = 0;
    Job* job = take_job();
    if (job == nullptr && !has_ready()) job = wait_for_job();
    if (job != nullptr) {
      run<kNotesJobs>(*job);
    } else if (!has_ready() && core_.is_stopping()) {
      current_ = &*root_;
      return &*root_;
    }
  }
}

bool Worker::has_more_to_do() const noexcept {
  return has_ready() || !sleeper_.inbox.is_empty() || !timers_.empty() || core_.shared_jobs().has_usual() ||
         has_special();
}

template <bool kNotesJobs>
void Worker::run(Job& job) noexcept {
  jobs.add(1);
  if constexpr (kNotesJobs) current().job = job.entry();
  job.run();
  ensure_default_float_control();  // a job's rounding mode is not the next one's
}

void Worker::poll() noexcept {
  chaos::point();
  if (!sleeper_.inbox.is_empty()) drain(false);
  if (!timers_.empty() && ++clock_turns_ >= clock_every_) look_at_clock();
}

void Worker::drain(bool idle) noexcept {
  sleeper_.drain();
  if (sleeper_.inspections != nullptr) [[unlikely]]
    answer_inspections(idle);
}

JOBS_COLD void Worker::answer_inspections(bool idle) noexcept {
  for (Wakeup* question = std::exchange(sleeper_.inspections, nullptr); question != nullptr;) {
    Wakeup* const next = question->next;
    if (question == &orphan_message_) {
      breach("Scheduler", &core_, "its job has returned in a child process that it forked: exec() or _exit() there");
    }
    if (change_.is(question)) {
      change_.hear();
      turns_to_shared_ = 1;  // take_in_turn() comes next
    } else {
      Inspection::answer(static_cast<InspectionPart&>(*question), *this, idle);
    }
    question = next;
  }
}

void Worker::for_each_fiber(const std::function<void(const StackFiber&)>& visit) const {
  if (root_) visit(*root_);
  fibers_.for_each(visit);
}

std::uint64_t Worker::progress() const noexcept {
  const FiberCore* const fiber = shown_current();
  const std::uint64_t own = fiber != nullptr ? fiber->switches.load(std::memory_order_relaxed) : 0;
  return jobs.read() + switches.read() + parks.read() + alone_turns_.from_afar() + own;
}

void Worker::look_at_clock() noexcept {
  const os::Nanoseconds now = os::now();
  const os::Nanoseconds turns = clock_turns_ * kClockInterval / std::max<os::Nanoseconds>(now - last_look_, 1);
  // A few short turns do not prove that the next ones are short.
  clock_every_ =
      static_cast<unsigned>(std::clamp<os::Nanoseconds>(turns, 1, std::min(2 * clock_every_, kMaxClockTurns)));
  clock_turns_ = 0;
  last_look_ = now;
  fire_timers(now);
}

void Worker::fire_timers(os::Nanoseconds now) noexcept {
  for (Deadline* due = timers_.take_due(now); due != nullptr;) {
    Deadline* const next = due->next;
    const auto lateness = static_cast<std::uint64_t>(now - due->at);
    timeouts.add(1);
    if (lateness > kLate) late_timeouts.add(1);
    if (const std::uint64_t max = max_lateness_ns.read(); lateness > max) max_lateness_ns.add(lateness - max);
    deliver(*due->fiber, kTimeout);
    due = next;
  }
}

// What is rare stays out of line, so that the rest needs no registers of its callers.
Job* Worker::take_job() noexcept {
  [[maybe_unused]] const sanitizer::Unordered queues;
  if (has_special() || --turns_to_shared_ == 0) [[unlikely]]
    return take_in_turn();
  Job* const job = lane_.pop();
  return job != nullptr ? job : take_elsewhere();
}

JOBS_NOINLINE Job* Worker::take_elsewhere() noexcept {
  if (core_.is_surplus(index_)) [[unlikely]]
    return nullptr;
  if (Job* const job = core_.shared_jobs().take(!is_main_)) return job;
  return steal_one();
}

// Whether there may be urgent jobs, or some with a place; all that they cost the others.
bool Worker::has_special() const noexcept { return !sleeper_.placed.empty() || core_.shared_jobs().has_special(); }

// A flood of one kind starves no other: of each 61 jobs the last is a common one, from a shared queue and from the deque in turn,
// and the last but one is none of the urgent ones; those come from here and from the shared queues in turn.
JOBS_COLD Job* Worker::take_in_turn() noexcept {
  if (!has_special()) {
    if (core_.is_surplus(index_)) [[unlikely]]
      return take_placed();
    if (++looks_at_shared_ % kLimitsEvery == 0) {
      if (const os::Nanoseconds now = os::now(); core_.is_look_due(now)) core_.look_at_limits(now);
    }
    return take_common(is_turn_of_shared());
  }
  PlacedJobs& placed = sleeper_.placed;
  if (++preferred_in_a_row_ > kPreferredInARow && !core_.is_surplus(index_)) {
    preferred_in_a_row_ = 0;
    is_shared_due_ = !is_shared_due_;
    if (Job* const job = take_common(is_shared_due_)) return job;
  }
  if (preferred_in_a_row_ == kPreferredInARow) {
    if (Job* const job = job_of(placed.pop_normal())) return job;
  }
  is_own_due_ = !is_own_due_;
  for (const bool own : {is_own_due_, !is_own_due_}) {
    if (Job* const job = own ? job_of(placed.pop_urgent()) : core_.shared_jobs().take_urgent(!is_main_)) return job;
  }
  if (Job* const job = job_of(placed.pop_normal())) return job;
  preferred_in_a_row_ = 0;
  return core_.is_surplus(index_) ? take_placed() : take_common(is_turn_of_shared());
}

// What nobody else may run. All else that lies here is left to others.
JOBS_COLD Job* Worker::take_placed() noexcept {
  turns_to_shared_ = 1;  // the next time, too
  lane_.leave_to_others();
  if (Job* const job = job_of(sleeper_.placed.pop_urgent())) return job;
  return job_of(sleeper_.placed.pop_normal());
}

bool Worker::is_turn_of_shared() noexcept {
  if (turns_to_shared_ > 1) {
    --turns_to_shared_;
    return false;
  }
  turns_to_shared_ = kSharedEvery;
  return true;
}

Job* Worker::take_common(bool shared_first) noexcept {
  if (shared_first) {
    if (Job* const job = core_.shared_jobs().take(!is_main_)) return job;
  }
  Job* const job = lane_.pop();
  return job != nullptr ? job : take_elsewhere();
}

// Without a look at other workers.
bool Worker::has_new_job() const noexcept {
  return !lane_.looks_empty() || core_.shared_jobs().has_usual() || has_special();
}

Job* Worker::steal_one() noexcept {
  if (last_theft_ != 0) {
    const bool was_worth_it = os::now() - last_theft_ >= kWorthATheft;
    theft_pause_ = was_worth_it ? kTheftEvery : std::clamp(2 * theft_pause_, kTheftEvery, kMaxTheftPause);
    while (os::now() < last_theft_ + theft_pause_) {
      if (!sleeper_.inbox.is_empty()) return nullptr;
      core_.relax();
    }
    last_theft_ = 0;
  }
  Lane* hidden = nullptr;
  Job* const job = core_.steal(index_, random_, hidden);
  if (hidden == nullptr || job != nullptr) {
    asked_at_ = 0;
  } else {
    wait_for_answer(*hidden);
  }
  if (job == nullptr) return nullptr;
  steals.add(1);
  last_theft_ = os::now();
  return job;
}

// Owners that fork answer in nanoseconds. One that computes for long without a look at its deque is raided.
void Worker::wait_for_answer(Lane& hidden) noexcept {
  const os::Nanoseconds now = os::now();
  if (asked_at_ == 0) asked_at_ = now;
  if (!core_.raids().may_begin(asked_at_, now)) return;
  hidden.raid();
  core_.raids().note(!hidden.looks_empty(), now);
  raids.add(1);
  asked_at_ = 0;
}

// Searches, then sleeps, until there is a job (returned), or there is a ready fiber, a job for this worker or the end (null).
Job* Worker::wait_for_job() noexcept {
  reset_float_control();
  preferred_in_a_row_ = 0;
  asked_at_ = 0;
  const os::Nanoseconds start = os::now();
  if (core_.is_look_due(start)) core_.look_at_limits(start);  // before anybody counts on us as searching
  os::Nanoseconds spin_until = start + core_.search_time();
  const auto note_end = [&] { idle_ns.add(static_cast<std::uint64_t>(os::now() - start)); };
  const auto leave = [&](Job* job) {
    cool_down();
    idle_.found_work();
    note_end();
    return job;
  };
  if (core_.is_surplus(index_) && rest()) {
    note_end();
    return nullptr;
  }
  bool eager = idle_.start_searching();
  for (;;) {
    for (;;) {
      if (Job* const job = take_job()) return leave(job);
      const os::Nanoseconds now = os::now();
      if (!sleeper_.inbox.is_empty()) drain(true);
      fire_timers(now);
      if (has_ready() || core_.is_stopping()) return leave(nullptr);
      if (!sleeper_.placed.empty()) continue;  // it must not sleep on what it has taken out of its inbox
      if (core_.is_surplus(index_)) break;
      if (now >= spin_until && asked_at_ == 0 && timers_.next_look() > now) {
        if (!stay_hot(now)) break;
        spin_until = now + core_.search_time();
      }
      if (is_main_ && core_.shared_jobs().has_off_main()) break;  // to pass them on
      for (unsigned i = 0; i < (eager ? 1 : kLazySteps) && sleeper_.inbox.is_empty(); ++i) core_.relax();
    }
    cool_down();

    if (core_.is_surplus(index_)) [[unlikely]] {
      idle_.found_work();  // as far as the others are concerned: whatever there is, is not for us
      if (rest()) {
        note_end();
        return nullptr;
      }
      eager = idle_.start_searching();
      spin_until = os::now() + core_.search_time();
      continue;
    }
    core_.before_park();
    if (has_ready()) continue;  // a shutdown on this very worker waited for that
    parks.add(1);
    core_.tell_idle(index_);
    cpu_.store(kNowhere, std::memory_order_relaxed);
    const Idle::Woken woken =
        idle_.park(index_, timers_.next_look(), [this] { return core_.is_work_visible(!is_main_); });
    settle();
    core_.after_park();
    if (sleeper_.inspections != nullptr) answer_inspections(true);
    if (woken == Idle::Woken::kByMessage) {
      drain(true);
      // It has not searched, so nobody counts on it to wake the next one: such a wake-up stays between the two.
      if (has_ready() || !sleeper_.placed.empty()) {
        note_end();
        return nullptr;
      }
      eager = idle_.start_searching();
    }
    spin_until = os::now() + core_.search_time();
  }
}

// This worker has searched for as long as it may. True: somebody wants it to go on all the same (HotRegion).
JOBS_COLD bool Worker::stay_hot(os::Nanoseconds now) noexcept {
  if (++hot_searches_ > HotRegions::kMostSearches || !core_.may_be_hot(is_hot())) return false;
  hot_.store(true, std::memory_order_relaxed);
  os::yield_thread();  // to whoever else wants this CPU
  if (core_.is_look_due(now)) core_.look_at_limits(now);
  return true;
}

void Worker::cool_down() noexcept {
  hot_searches_ = 0;
  if (!is_hot()) return;
  hot_.store(false, std::memory_order_relaxed);
  core_.leave_hot();
}

// One worker too many: it sleeps, and wakes up for what only it may run. It is neither searching nor parked, so that no job is handed to
// it; what lies in its deque is taken by the others. True: there is something to run here, or this is the end.
// False: it is one of the active again.
JOBS_COLD bool Worker::rest() noexcept {
  bool has_something = false;
  asked_at_ = 0;  // it wants no answer any more
  lane_.leave_to_others();
  while (!has_something && core_.is_surplus(index_)) {
    core_.before_park();
    if (has_ready() || !sleeper_.placed.empty() || core_.is_stopping()) {
      has_something = true;
      break;
    }
    parks.add(1);
    core_.tell_idle(index_);
    cpu_.store(kNowhere, std::memory_order_relaxed);
    resting_.store(true, std::memory_order_relaxed);
    sleeper_.inbox.park(std::min(timers_.next_look(), core_.next_look_of(index_)));
    resting_.store(false, std::memory_order_relaxed);
    cpu_.store(os::current_cpu(), std::memory_order_relaxed);
    drain(true);
    const os::Nanoseconds now = os::now();
    fire_timers(now);
    if (core_.is_look_due(now)) core_.look_at_limits(now);
    has_something = has_ready() || !sleeper_.placed.empty() || core_.is_stopping();
  }
  if (!core_.is_surplus(index_)) core_.after_park();
  return has_something;
}

// Kernels wake a thread on the CPU of its waker if they take the others for busy, and in a virtual machine a halted CPU looks
// busy. Then waker and woken would share one CPU for milliseconds, while another idles: so the woken one moves on.
void Worker::settle() noexcept {
  if (core_.is_oversubscribed()) return;
  if (core_.is_cpu_taken(os::current_cpu(), *this)) os::leave_cpu();
  cpu_.store(os::current_cpu(), std::memory_order_relaxed);
}

// --- fibers -------------------------------------------------------------------------------------------------------------

// Whether to go on with a ready fiber. Otherwise a new job is due, if there is one; loop() takes it.
bool Worker::is_turn_of_ready() noexcept {
  if (!has_ready()) return false;
  if (ready_streak_ < kReadyInARow) return true;
  if (has_new_job()) return false;
  ready_streak_ = 0;  // it looks again after as many
  return true;
}

// By a fiber that has ended, or a loop.
StackFiber* Worker::take_ready() noexcept {
  auto* const next = static_cast<StackFiber*>(pop_ready());
  if (const FiberCore* const after = next->next_ready) prefetch(*after);
  current_ = next;
  switches.add(1);
  return next;
}

void Worker::prepare_wait() {
  if (!fibers_.loops().has_idle()) [[unlikely]]
    reserve_for_wait();
}

JOBS_COLD void Worker::reserve_for_wait() {
  try {
    fibers_.reserve_loop();
  } catch (...) {
    if (!current().must_wait) throw;
  }
}

// Null: there is no stack.
StackFiber* Worker::acquire_loop() noexcept {
  try {
    fibers_.reserve_loop();
    return &fibers_.loops().acquire(loop_, this);
  } catch (...) {
    return nullptr;
  }
}

// There is no stack to serve jobs on. Returns the first fiber that is ready, or a loop as soon as it can be had.
JOBS_COLD StackFiber* Worker::wait_without_stack() noexcept {
  for (;;) {
    if (has_ready()) return static_cast<StackFiber*>(pop_ready());
    if (StackFiber* const loop = acquire_loop()) return loop;
    sleeper_.inbox.park(std::min(timers_.next_look(), os::now() + kStackRetry));
    drain(false);
    fire_timers(os::now());
  }
}

void Worker::switch_away() noexcept {
  poll();
  if (is_turn_of_ready()) {
    ++ready_streak_;
    switch_to_fiber(static_cast<StackFiber&>(*pop_ready()));
    return;
  }
  // Waits reserve a fiber before they publish themselves, so there is one; but for those that must not fail: the join of a stolen
  // child, and what a destructor waits for.
  StackFiber* const loop = acquire_loop();
  switch_to_fiber(loop != nullptr ? *loop : *wait_without_stack());
}

StackFiber* Worker::go_on() noexcept {
  if (static_cast<const StackFiber&>(current()).stack().size >= fibers_.loops().stack_size()) return loop();
  // Whenever a fiber runs that cannot serve jobs a loop is idle: the one that went to it, or the one that was reserved by what waits.
  poll();
  StackFiber* next = nullptr;
  if (!is_turn_of_ready()) {
    ready_streak_ = 0;
    next = acquire_loop();
    if (next == nullptr) next = wait_without_stack();  // after a wait that had none to go on with
  } else {
    ++ready_streak_;
  }
  if (next == nullptr) return take_ready();
  current_ = next;
  switches.add(1);
  return next;
}

void Worker::start_fiber(FiberEntry entry, void* argument, StackClass stack_class) {
  StackFiber& fiber = fibers_.acquire(fibers_.of(stack_class), entry, argument);
  fiber.shown.store(FiberState::kRunnable, std::memory_order_relaxed);
  push_ready(fiber);
}

void Worker::start_now(FiberEntry entry, void* argument, StackClass stack_class) {
  FiberPool& pool = fibers_.of(stack_class);
  if (pool.stack_size() < fibers_.loops().stack_size()) prepare_wait();  // go_on() has the reason
  StackFiber& fiber = fibers_.acquire(pool, entry, argument);
  lane_.spawned.add(1);
  run_before_current(fiber, FiberState::kRunnable);
}

void Worker::run_awaited(Job& job, FiberEntry entry, void* argument) {
  if (!lane_.is_youngest(job)) return;
  check_may_suspend();
  poll();
  const bool others_first = has_ready() || has_special() || turns_to_shared_ == 1;
  const bool may_end_early = current().limit != os::kNever || (current().signals & current().interrupts) != 0;
  if (others_first || may_end_early) return;
  prepare_wait();
  if (!fibers_.loops().has_idle() || lane_.pop() == nullptr) return;
  --turns_to_shared_;
  jobs.add(1);
  run_before_current(fibers_.loops().acquire(entry, argument), FiberState::kWaiting);
}

// `state`: what observers see of the current fiber meanwhile.
void Worker::run_before_current(StackFiber& fiber, FiberState state) noexcept {
  FiberCore& self = current();
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_suspend(self);
  self.shown.store(state, std::memory_order_relaxed);
  push_ready_front(self);
  ready_streak_ = 0;  // nobody comes between the two
  switch_to_fiber(fiber);
  came_back(self);
}

void Worker::yield() {
  check_may_suspend();
  poll();
  const bool is_alone = !has_ready() && !has_new_job();
  if (is_alone && (alone_turns_ = alone_turns_ + 1) % kElsewhereEvery != 0) return;
  prepare_wait();
  push_ready(current());
  leave(FiberState::kRunnable);
}

bool Worker::is_slice_over() noexcept {
  if (!slice_.is_over(current(), core_.time_slice())) return false;
  overruns.add(1);
  return true;
}

}  // namespace jobs::inline JOBS_ABI::detail
