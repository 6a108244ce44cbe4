// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <utility>

#include "jobs/base/annotate.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/job_code.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// While a deadline is armed, the worker reads the clock about once in kClockInterval. It reads the
// clock at most once per turn, and at least once in kMaxClockTurns turns. A turn may be a job of
// nanoseconds, which must not pay for a reading, or a job of milliseconds.
constexpr os::Nanoseconds kClockInterval = 50'000;
constexpr unsigned kMaxClockTurns = 4;
// A deadline served later than this counts as late in Stats.
constexpr os::Nanoseconds kLate = 1'000'000;

// The interval in which a worker without a stack to serve jobs requests one.
constexpr os::Nanoseconds kStackRetry = 1'000'000;

// If a worker has no other work, one in kElsewhereEvery yields checks the jobs of other workers.
constexpr unsigned kElsewhereEvery = 16;

}  // namespace

JOBS_COLD Worker::Worker(Shared& shared, Idle& idle, StackAllocator& stacks,
                         std::size_t max_idle_stacks, unsigned index)
    : WorkerRemote(shared, idle, this, *this, index, index < shared.bound_slots(),
                   shared.worker_count() > 1, stacks.node()),
      shared_(shared),
      idle_(idle),
      loop_(shared.trace() != nullptr ? shared.trace()->loop
            : shared.records_jobs()   ? &recording_loop
                                      : &plain_loop),
      fibers_(*this, stacks, max_idle_stacks),
      rings_(shared.topology().victim_rings(index, shared.worker_count())),
      random_(index + 1),
      rank_(index) {
  observer_ = shared.switch_observer();
  std::snprintf(name_.data(), name_.size(), "worker %u", index);
}

// Inlined, because each switch would save and restore an additional frame.
JOBS_ALWAYS_INLINE void Worker::switch_to_fiber(StackFiber& next) noexcept {
  auto& from = static_cast<StackFiber&>(current());
  if (&from == &next) return;
  current_ = &next;
  switches.add(1);
  switch_to(from, next, *registers_);
}

JOBS_COLD Worker::~Worker() {
  parker_.drain();  // messages that arrived after the end of the loop
  for (Wakeup* request = parker_.requests; request != nullptr;) {
    Wakeup* const next = request->next;
    if (!change_message_.is(request)) static_cast<MessageQueue::WorkerRequest&>(*request).refuse();
    request = next;
  }
}

JOBS_COLD void Worker::bind() {
  outer_host_ = this_thread().host;
  outer_context_ = this_context();
  signal_stack_.emplace();
  registers_.emplace();
  if (!root_) root_.emplace(*this);  // It stays for the next thread, because observers may read it.
  current_ = &*root_;
  context_.record_cpu();
  context_.set_traced(is_traced_in_detail());  // A bound thread runs code of its own.
  thread_.store(os::thread_id(), std::memory_order_relaxed);
  sanitizer::annotate_fiber_local(&errno, sizeof errno);
#if defined(JOBS_ANNOTATE_SYNC) && defined(__GLIBCXX__)
  // std::call_once() passes arguments to itself in these variables, and reads them at once.
  sanitizer::annotate_fiber_local(&std::__once_callable, sizeof std::__once_callable);
  sanitizer::annotate_fiber_local(&std::__once_call, sizeof std::__once_call);
#endif
  this_thread() = {.host = this, .context = &context_, .scope = this_thread().scope};
  sanitizer::annotate_release(&context_);
}

JOBS_COLD void Worker::unbind() noexcept {
  this_thread() = {.host = outer_host_, .context = outer_context_, .scope = this_thread().scope};
  current_ = nullptr;
  thread_.store(0, std::memory_order_relaxed);
  signal_stack_.reset();
}

void Worker::serve() {
  StackFiber& loop = fibers_.loops().acquire(loop_, this);
  switch_to_fiber(loop);
  sanitizer::annotate_acquire(static_cast<FiberHost*>(this));
}

// One turn:
//   step 1  Serve the messages and the deadlines.
//   step 2  If a fiber is ready and due, return it. The loop fiber becomes idle.
//   step 3  Otherwise run one job, or search for a job and sleep.
// The loop ends, too, when the scheduler stops. Then it returns the root fiber.
template <Worker::Records kRecords>
JOBS_ALWAYS_INLINE StackFiber* Worker::loop_as() noexcept {
  sanitizer::annotate_acquire(&context_);
  for (;;) {
    poll();
    if (take_turn_of_ready()) return take_ready();
    ready_left_ = kReadyInARow + 1;
    [[maybe_unused]] std::uint64_t stolen = 0;
    if constexpr (kRecords == Records::kEvents) stolen = steals.read();
    Job* job = take_job();
    if (job == nullptr && !has_ready()) {
      if constexpr (kRecords == Records::kEvents) trace(shared_.trace(), TraceEvent::kSearchBegin);
      job = wait_for_job();
      if constexpr (kRecords == Records::kEvents) trace(shared_.trace(), TraceEvent::kSearchEnd);
    }
    if constexpr (kRecords == Records::kEvents) trace_theft(stolen);
    if (job != nullptr) {
      run<kRecords>(*job);
    } else if (!has_ready() && shared_.is_stopping()) {
      current_ = &*root_;
      return &*root_;
    }
  }
}

StackFiber* Worker::plain_loop(void* self) noexcept {
  return static_cast<Worker*>(self)->loop_as<Records::kNothing>();
}

StackFiber* Worker::recording_loop(void* self) noexcept {
  return static_cast<Worker*>(self)->loop_as<Records::kJobs>();
}

StackFiber* Worker::traced_loop(void* self) noexcept {
  return static_cast<Worker*>(self)->loop_as<Records::kEvents>();
}

bool Worker::has_other_work() const noexcept {
  return has_ready() || !parker_.inbox.is_empty() || !timers_.empty() || has_jobs_outside();
}

// Inlined, because run_in_loop() would otherwise make it a call in the loop.
template <Worker::Records kRecords>
JOBS_ALWAYS_INLINE void Worker::run(Job& job) noexcept {
  jobs.add(1);
  [[maybe_unused]] CodeAddress code = nullptr;
  if constexpr (kRecords != Records::kNothing) {
    sanitizer::annotate_acquire(&job);
    code = code_of_job(job);
    current().job = code;
  }
  [[maybe_unused]] bool shows = false;
  if constexpr (kRecords == Records::kEvents) {
    context_.set_traced(is_traced_in_detail());
    shows = job.entry() != &run_call;  // Otherwise run_inner() records the events.
    if (shows) {
      trace(shared_.trace(), TraceEvent::kJobBegin, reinterpret_cast<std::uintptr_t>(code),
            reinterpret_cast<std::uintptr_t>(&job));
    }
  }
  job.run();
  ensure_default_float_control();  // The rounding mode of one job does not affect the next one.
  if constexpr (kRecords == Records::kEvents) {
    if (shows) trace(shared_.trace(), TraceEvent::kJobEnd);
  }
}

// Records the thefts since the counter had the value `before`.
void Worker::trace_theft(std::uint64_t before) noexcept {
  const std::uint64_t count = steals.read() - before;
  if (count == 0) return;
  trace(shared_.trace(), TraceEvent::kSteal, count,
        last_victim_ != nullptr ? last_victim_->worker()->index() : kTraceExternal);
}

// The entry of the fiber for a critical or a high job inside of a loop.
StackFiber* Worker::run_in_loop(void* job) noexcept {
  Worker& self = *this_context()->worker();
  sanitizer::annotate_acquire(&self.context_);
  TraceObserver* const observer = self.shared_.trace();
  trace(observer, TraceEvent::kJobBegin,
        reinterpret_cast<std::uintptr_t>(code_of_job(*static_cast<Job*>(job))),
        reinterpret_cast<std::uintptr_t>(job));
  if (self.shared_.records_jobs()) {
    self.run<Records::kJobs>(*static_cast<Job*>(job));
  } else {
    self.run<Records::kNothing>(*static_cast<Job*>(job));
  }
  trace(observer, TraceEvent::kJobEnd);
  if (self.high_in_loop_ == &self.current()) self.high_in_loop_ = nullptr;
  return self.loop();
}

void Worker::drain(bool idle) noexcept {
  parker_.drain();
  if (parker_.requests != nullptr) [[unlikely]]
    answer_requests(idle);
}

JOBS_COLD void Worker::answer_requests(bool idle) noexcept {
  for (Wakeup* request = std::exchange(parker_.requests, nullptr); request != nullptr;) {
    Wakeup* const next = request->next;
    if (request == &orphan_message_) {
      contract_violation(
          "Scheduler", &shared_,
          "its job has returned in a child process that it forked: exec() or _exit() there");
    }
    if (change_message_.is(request)) {
      change_message_.receive();
      checks_in_ = 1;  // take_job() calls take_fairly() next.
    } else {
      static_cast<MessageQueue::WorkerRequest&>(*request).answer(*this, idle);
    }
    request = next;
  }
}

void Worker::for_each_fiber(const std::function<void(const StackFiber&)>& visit) const {
  if (root_) visit(*root_);
  fibers_.for_each(visit);
}

std::uint64_t Worker::progress() const noexcept {
  const FiberCore* const fiber = current_remote();
  const std::uint64_t own = fiber != nullptr ? fiber->switches.load(std::memory_order_relaxed) : 0;
  return jobs.read() + switches.read() + parks.read() + lone_yields_.load_remote() + own;
}

void Worker::check_clock() noexcept {
  const os::Nanoseconds now = os::now();
  const os::Nanoseconds turns =
      clock_turns_ * kClockInterval / std::max<os::Nanoseconds>(now - last_check_, 1);
  // The interval at most doubles, because a few short turns do not prove that the next turns are
  // short.
  clock_every_ = static_cast<unsigned>(
      std::clamp<os::Nanoseconds>(turns, 1, std::min(2 * clock_every_, kMaxClockTurns)));
  clock_turns_ = 0;
  last_check_ = now;
  fire_timers(now);
}

void Worker::fire_timers(os::Nanoseconds now) noexcept {
  for (Deadline* due = timers_.take_due(now); due != nullptr;) {
    Deadline* const next = due->next;
    const auto lateness = static_cast<std::uint64_t>(now - due->at);
    timeouts.add(1);
    if (lateness > kLate) late_timeouts.add(1);
    if (const std::uint64_t max = max_lateness_ns.read(); lateness > max)
      max_lateness_ns.add(lateness - max);
    trace(shared_.trace(), TraceEvent::kTimer, due->fiber != nullptr ? trace_key(*due->fiber) : 0,
          lateness);
    if (FiberCore* const fiber = due->fiber) [[likely]] {
      deliver(*fiber, kTimeout);
    } else {
      auto& call = static_cast<CallAtDeadline&>(*due);
      call.call(call);
    }
    due = next;
  }
}

// Rare cases stay out of line, so that the fast path uses no registers of its callers.
Job* Worker::take_job() noexcept {
  if (has_jobs_outside() || --checks_in_ == 0) [[unlikely]]
    return take_fairly();
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  Job* const job = context_.pop();
  return job != nullptr ? job : take_or_steal();
}

// Returns whether a new job of an upper priority is visible. Does not check other workers.
bool Worker::has_new_job() const noexcept { return !context_.looks_empty() || has_jobs_outside(); }

// --- fibers --------------------------------------------------------------------------------------

// Returns whether a new job is visible, or a lower job is due. Not inlined, because the loop would
// take one more instruction for each job.
JOBS_NOINLINE bool Worker::is_job_due() noexcept {
  if (has_new_job()) return true;
  if (--lower_in_ != 0) [[likely]]
    return false;
  return is_lower_due();
}

// Returns whether a lower job is due, because ready fibers starve no lower job either. If so, the
// next take_job() takes it. They do not delay the end of a drain either.
JOBS_COLD bool Worker::is_lower_due() noexcept {
  lower_in_ = 1;
  if (in_background_) return true;  // take_job() leaves the limit.
  lower_in_ = kLowerEvery;
  shared_.between_turns();
  if (!shared_.shared_jobs().has_lower()) return false;
  const os::Nanoseconds now = os::quick_now();
  bool is_due = false;
  for (const Priority priority : {Priority::kBackground, Priority::kLow})
    is_due |= is_aged(priority, now);
  if (is_due) {
    checks_in_ = 1;
    lower_in_ = 1;  // The next call has the same result, also in loop().
  }
  return is_due;
}

// Counts a ready fiber that runs next. Otherwise returns false: a new job is due, if there is one,
// and loop() takes it.
bool Worker::take_turn_of_ready() noexcept {
  if (!has_ready()) return false;
  if (--ready_left_ != 0) return true;
  if (is_job_due()) {
    ready_left_ = 1;  // The next call checks again.
    return false;
  }
  ready_left_ = kReadyInARow;  // The next check for a job comes after kReadyInARow fibers.
  return true;
}

StackFiber* Worker::take_ready() noexcept {
  auto* const next = static_cast<StackFiber*>(pop_ready());
  // Prefetches the following fiber, while `next` runs.
  if (has_ready()) static_cast<const StackFiber*>(first_ready())->prefetch();
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

// Returns null if there is no stack. Not inlined, so that the switch to a ready fiber saves no more
// registers.
JOBS_NOINLINE StackFiber* Worker::acquire_loop() noexcept {
  if (share_.is_look_due()) [[unlikely]]
    offer_jobs();
  try {
    fibers_.reserve_loop();
    return &fibers_.loops().acquire(loop_, this);
  } catch (...) {
    return nullptr;
  }
}

// Called if there is no stack to serve jobs on. Returns the first fiber that becomes ready, or a
// loop fiber as soon as a stack is available.
JOBS_COLD StackFiber* Worker::wait_without_stack() noexcept {
  for (;;) {
    if (has_ready()) return static_cast<StackFiber*>(pop_ready());
    if (StackFiber* const loop = acquire_loop()) return loop;
    parker_.inbox.park(std::min(timers_.next_check(), os::now() + kStackRetry));
    drain(false);
    fire_timers(os::now());
  }
}

void Worker::switch_away() noexcept {
  poll();
  if (take_turn_of_ready()) {
    switch_to_fiber(static_cast<StackFiber&>(*pop_ready()));
    return;
  }
  // A wait reserves a fiber before it publishes itself, so acquire_loop() succeeds. The exceptions
  // are waits that must not fail: the join of a stolen child, and the waits of destructors.
  StackFiber* const loop = acquire_loop();
  switch_to_fiber(loop != nullptr ? *loop : *wait_without_stack());
}

StackFiber* Worker::continue_as_loop() noexcept {
  if (static_cast<const StackFiber&>(current()).stack().size >= fibers_.loops().stack_size())
    return loop();
  // While a fiber runs that cannot serve jobs, a loop fiber is idle: the loop fiber that switched
  // to it, or the loop fiber that a wait has reserved.
  poll();
  StackFiber* next = nullptr;
  if (!take_turn_of_ready()) {
    ready_left_ = kReadyInARow + 1;
    next = acquire_loop();
    if (next == nullptr)
      next = wait_without_stack();  // after a wait that could not reserve a fiber
  }
  if (next == nullptr) return take_ready();
  current_ = next;
  switches.add(1);
  return next;
}

void Worker::start_fiber(FiberEntry entry, void* argument, StackClass stack_class,
                         std::uint8_t rank) {
  StackFiber& fiber = fibers_.acquire(fibers_.of(stack_class), entry, argument);
  fiber.rank = rank;
  fiber.observed_state.store(FiberState::kRunnable, std::memory_order_relaxed);
  push_woken(fiber);
}

void Worker::start_now(FiberEntry entry, void* argument, StackClass stack_class) {
  FiberPool& pool = fibers_.of(stack_class);
  if (pool.stack_size() < fibers_.loops().stack_size())
    prepare_wait();  // continue_as_loop() has the reason.
  StackFiber& fiber = fibers_.acquire(pool, entry, argument);
  context_.spawned.add(1);
  run_before_current(fiber, FiberState::kRunnable);
}

void Worker::run_awaited(Job& job, FiberEntry entry, void* argument) {
  if (!context_.is_youngest(job)) return;
  check_may_suspend();
  poll();
  const bool others_first = has_ready() || has_jobs_outside() || checks_in_ == 1;
  const bool may_end_early =
      current().limit != os::kNever || (current().signals & current().interrupts) != 0;
  if (others_first || may_end_early) return;
  prepare_wait();
  if (!fibers_.loops().has_idle() || context_.pop() == nullptr) return;
  --checks_in_;
  jobs.add(1);
  run_before_current(fibers_.loops().acquire(entry, argument), FiberState::kWaiting);
}

// Runs `fiber` at once; the current fiber continues when `fiber` waits or ends.
// `state`: the state of the current fiber that observers see in the meantime; kWaiting: it joins
// `fiber`.
void Worker::run_before_current(StackFiber& fiber, FiberState state) noexcept {
  FiberCore& self = current();
  self.observed_state.store(state, std::memory_order_relaxed);
  if (observer_ != nullptr) [[unlikely]] {
    if (state == FiberState::kWaiting) self.waits_for = {WaitKind::kJoin, nullptr};
    observer_->on_suspend(self);
  }
  push_ready_front(self);
  ready_left_ = kReadyInARow + 1;  // No job runs between the two fibers.
  switch_to_fiber(fiber);
  after_resume(self);
}

void Worker::yield() {
  check_may_suspend();
  poll();
  const bool is_alone = !has_ready() && !has_new_job();
  if (is_alone && (lone_yields_ = lone_yields_ + 1) % kElsewhereEvery != 0) return;
  prepare_wait();
  push_ready(current());
  leave(FiberState::kRunnable);
}

void Worker::yield_to_job() {
  ready_left_ = 1;  // A new job is due before the ready fibers.
  yield();
}

bool Worker::is_slice_over() noexcept {
  if (!slice_.is_over(current(), shared_.time_slice())) return false;
  overruns.add(1);
  return true;
}

}  // namespace jobs::inline JOBS_ABI::detail
