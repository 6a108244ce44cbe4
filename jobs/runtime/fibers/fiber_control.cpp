// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberControl: the life of a Fiber, from launch() to the end of its last owner, and the messages
// to it.
#include "jobs/runtime/fibers/fiber_control.hpp"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

#include "jobs/base/annotate.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/fiber_label.hpp"
#include "jobs/fiber/stack_usage_monitor.hpp"
#include "jobs/job_hooks.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/fibers/owner_lift.hpp"
#include "jobs/runtime/job/probes.hpp"
#include "jobs/runtime/memory/stack_profile.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/interrupt.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

std::uint64_t next_id() noexcept {
  WorkerContext* const context = this_context();
  return context != nullptr ? context->fiber_ids.take() : FiberIds::take_range(1);
}

// Returns the name with a null character behind it.
HeapArray<char> copy_of(std::string_view name) {
  HeapArray<char> copy(name.size() + 1);
  std::copy(name.begin(), name.end(), copy.get());
  return copy;
}

// A fiber that ends by Cancelled ends on request. Its exception needs no report.
bool is_cancelled(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

JOBS_COLD void check_not_inherited(const Shared& shared) {
  if (!shared.is_forked()) return;
  throw Error(ErrorCode::kForked,
              "the Fiber belongs to the process that this one was forked from: it never ends here");
}

}  // namespace

FiberControl::FiberControl(FiberOptions&& options, const std::source_location& site)
    : Job(&execute),
      stack_class_(options.stack_size == 0 ? kLoopStack : class_of_size(options.stack_size)),
      start_(options.start),
      priority_(options.priority),
      is_special_(options.start != FiberStart::kLater || options.daemon ||
                  options.priority != Priority::kNormal),
      daemon_(options.daemon),
      id(next_id()),
      fiber_signals(options.start == FiberStart::kSuspended ? FiberSignals::Phase::kUnstarted
                                                            : FiberSignals::Phase::kQueued,
                    FiberRegistry::instance().lock_of(id)),
      site_(site) {
  if (!options.name.empty()) name_ = copy_of(options.name);
}

void FiberControl::launch(Shared& shared) {
  shared_ = &shared;
  if (shared.accounts_fibers()) [[unlikely]]
    start_accounting();
  FiberRegistry::instance().add(*this);
  try {
    if (is_special_) [[unlikely]] {
      launch_special(shared);
    } else {
      shared.submit(*this);
    }
  } catch (...) {
    finish_unstarted(nullptr);
    release_joined();
    throw;
  }
}

void FiberControl::launch_special(Shared& shared) {
  Shared::check_priority(priority_);
  if (start_ == FiberStart::kSuspended) return;
  if (start_ == FiberStart::kNow && shared.is_own_worker()) {
    sanitizer::annotate_release(static_cast<Job*>(this));
    this_context()->worker()->start_now(&main, this, stack_class_);
  } else {
    submit_to(shared);
  }
}

void FiberControl::submit_to(Shared& shared) {
  if (priority_ == Priority::kNormal) return shared.submit(*this);
  JobMessage unused;  // Only jobs for one worker need a message.
  shared.submit_with_options(*this, unused, {.priority = priority_});
}

void FiberControl::begin_special(FiberCore& fiber) noexcept {
  // For a shutdown, a running daemon has finished.
  if (daemon_) this_context()->finished.add(1);
  if (rank() != 0) begin_ranks();
  fiber.rank = rank();
  fiber.below_normal = levels_below_normal(priority_);
}

// Fibers of lower priorities wake up like normal ones.
std::uint8_t FiberControl::rank() const noexcept {
  constexpr auto kNone = static_cast<std::uint8_t>(Priority::kNormal);
  const auto value = static_cast<std::uint8_t>(priority_);
  return value < kNone ? static_cast<std::uint8_t>(kNone - value) : std::uint8_t{0};
}

// As end(). The fiber may serve jobs, or another Fiber, afterwards.
void FiberControl::end_special() noexcept {
  FiberCore& fiber = this_thread().host->current();
  fiber.rank = 0;
  fiber.below_normal = 0;
  const bool counts = !daemon_ || counted_.exchange(true, fiber_order::kCount);
  finish();
  if (counts) this_context()->finished.add(1);
}

bool FiberControl::is_inherited() const noexcept { return shared_->is_forked(); }

void FiberControl::wait() {
  if (!finished.is_set()) {
    const WorkerContext* const context = this_context();
    Worker* const worker = context != nullptr ? context->worker() : nullptr;
    if (worker != nullptr && worker->fibers().runs_on_loop(stack_class_)) {
      worker->run_awaited(*this, &main, this);
    } else {
      check_not_inherited(*shared_);
    }
  }
  finished.wait();
}

// Sets up the account of the run time and the measurement of the stack, if the options enable them,
// and traces the creation.
JOBS_COLD void FiberControl::start_accounting() {
  if (shared_->accounts_run_time()) {
    try {
      account = std::make_unique<Account>();
    } catch (...) {
      release_joined();
      throw;
    }
  }
  if (StackProfile* const profile = shared_->stack_profile()) {
    const auto [stack_class, measured] = profile->sample(site_, stack_class_);
    stack_class_ = stack_class;
    measured_ = measured;
  }
  hooked_ = shared_->options().job_hooks != nullptr;
  wraps_body_ = measured_ || hooked_;
  if (TraceObserver* const observer = shared_->trace(); observer != nullptr) {
    JOBS_PROBE3(fiber_create, id, site_.file_name(), site_.line());
    if (observer->is_on())
      observer->fiber_created(id, name_.get(), site_.file_name(), site_.line());
  }
}

// Runs as a job on the worker that took it. The stack of the loop belongs to the fiber while the
// fiber runs. If the fiber waits, the worker continues with another fiber.
void FiberControl::execute(Job& job) noexcept {
  auto& self = static_cast<FiberControl&>(job);
  Worker& worker = *this_context()->worker();
  if (worker.fibers().runs_on_loop(self.stack_class_)) {
    self.run_body();
    return;
  }
  sanitizer::annotate_release(
      &job);  // The end of the fiber may free the memory that this function has read.
  try {
    if (self.rank() != 0) begin_ranks();
    worker.start_fiber(&main, &self, self.stack_class_, self.rank());
    return;
  } catch (...) {
    if (worker.fibers().fits_on_loop(self.stack_class_)) {
      self.run_body();
      return;
    }
    if (self.daemon_) worker.context().finished.add(1);
    self.fail(std::current_exception());  // No stack: join() throws this.
  }
  // After the handler, so that this thread does not release the exception that join() has thrown.
  self.end();
}

// Entry point of a fiber on a stack of its own.
StackFiber* FiberControl::main(void* argument) noexcept {
  auto& self = *static_cast<FiberControl*>(argument);
  sanitizer::annotate_acquire(static_cast<Job*>(&self));
  self.run_body();
  ensure_default_float_control();
  return this_context()->worker()->continue_as_loop();
}

void FiberControl::run_body() noexcept {
  Worker& worker = *this_context()->worker();
  FiberCore& fiber = worker.current();
  worker_.store(worker.index(), std::memory_order_relaxed);
  const std::uint64_t pool_id = fiber.id;
  fiber.id = id;
  if (name_) fiber.name = name_.get();
  fiber.control = this;
  if (is_special_) [[unlikely]]
    begin_special(fiber);
  fiber_signals.open(fiber);
  worker.begins(fiber);
  errno = 0;
  // The only call of run_guarded() here, so that the compiler inlines it.
  run_guarded(
      [this, &fiber] {
        if (wraps_body_) [[unlikely]] {
          execute_wrapped(fiber);
        } else {
          execute_body();
        }
      },
      [this](std::exception_ptr exception) { fail(std::move(exception)); });
  {
    const InterruptShield shield(fiber);  // Destructors may wait.
    destroy_locals();
  }
  worker.ends(fiber);
  fiber.control = nullptr;
  fiber.name = nullptr;
  fiber.id = pool_id;
  end();
}

JOBS_COLD void FiberControl::execute_wrapped(const FiberCore& fiber) {
  if (!hooked_) return execute_measured(fiber);
  struct Body : FiberFunction {
    Body(FiberControl& control, const FiberCore& core) noexcept
        : FiberFunction(&call), self(control), on(core) {}
    static void call(FiberFunction& body) {
      auto& own = static_cast<Body&>(body);
      if (std::exchange(own.called, true))
        contract_violation("JobHooks", own.hooks(), "around_fiber() called the body twice");
      if (own.self.measured_) {
        own.self.execute_measured(own.on);
      } else {
        own.self.execute_body();
      }
      own.returned = true;
    }
    JobHooks* hooks() const noexcept { return self.shared_->options().job_hooks; }

    FiberControl& self;
    const FiberCore& on;
    bool called = false;
    bool returned = false;
  };
  Body body(*this, fiber);
  body.hooks()->around_fiber(FiberId{id}, body);
  if (!body.returned) {
    contract_violation("JobHooks", body.hooks(),
                       "around_fiber() returned, but the body has not returned");
  }
}

void FiberControl::begin_on_thread(Shared& shared, FiberCore& fiber) noexcept {
  shared_ = &shared;
  plays_thread_ = true;
  if (const WorkerContext* const context = this_context();
      context != nullptr && !context->is_external())
    worker_.store(context->worker()->index(), std::memory_order_relaxed);
  FiberRegistry::instance().add(*this);
  if (name_) fiber.name = name_.get();
  fiber.control = this;
  fiber_signals.open(fiber);
}

void FiberControl::end_on_thread(FiberCore& fiber) noexcept {
  {
    const InterruptShield shield(fiber);
    destroy_locals();
  }
  fiber.control = nullptr;
  fiber.name = nullptr;
  finish();
}

// In a frame of its own: the part of the stack that the measurement releases lies below this frame.
JOBS_COLD void FiberControl::execute_measured(const FiberCore& fiber) {
  struct Measure {
    const FiberControl& self;
    const StackUsageMonitor monitor;
    // Reports also if the body throws.
    ~Measure() { self.shared_->stack_profile()->report(self.site_, monitor.used()); }
  };
  const Measure measure{*this, StackUsageMonitor(static_cast<const StackFiber&>(fiber).stack())};
  execute_body();
}

FiberOrigin FiberControl::origin_of(const FiberCore& fiber) noexcept {
  const FiberControl* const control = of(fiber);
  if (control == nullptr) return {};
  const StackProfile* const profile = control->shared_->stack_profile();
  const std::source_location& site = control->site_;
  return {site.file_name(), site.line(), profile != nullptr ? profile->peak(site) : 0};
}

std::unique_ptr<LocalValue>& FiberControl::local(std::uint64_t key) {
  if (!extras_) extras_ = std::make_unique<Extras>();
  for (auto& [known, value] : extras_->locals) {
    if (known == key) return value;
  }
  return extras_->locals.emplace_back(key, nullptr).second;
}

// Destroys the last value first. A destructor may wait, and may create further values.
void FiberControl::destroy_locals() noexcept {
  while (extras_ && !extras_->locals.empty()) {
    const std::unique_ptr<LocalValue> last = std::move(extras_->locals.back().second);
    extras_->locals.pop_back();
  }
}

void FiberControl::end() noexcept {
  if (is_special_) [[unlikely]]
    return end_special();
  finish();
  this_context()->finished.add(1);
}

// Ends the fiber in this order:
//   1. The fiber receives all pending messages, and is dead.
//   2. The joiners wake.
//   3. The memory is released.
void FiberControl::finish() noexcept {
  if (mark_dead()) {
    finished.signal();
    return;
  }
  report_exception();
  finished.signal();
  release();
}

// Receives signals that senders have announced. Releases the lock meanwhile.
void FiberControl::receive_unlocked(RawSpinLock& lock, unsigned signals) noexcept {
  lock.unlock();
  fiber_signals.receive(*this_thread().host, signals);
  lock.lock();
}

// post: if it returns true, the Fiber exists, and owns all parts from the signal on. No code waits
// between this function and the signal (detach()).
bool FiberControl::mark_dead() noexcept {
  FiberRegistry& registry = FiberRegistry::instance();
  RawSpinLock& lock = registry.lock_of(id);
  const std::lock_guard guard(lock);
  while (const unsigned pending = fiber_signals.close()) receive_unlocked(lock, pending);
  registry.remove(*this);
  return owners_.leave();
}

void FiberControl::finish_unstarted(std::exception_ptr exception) noexcept {
  exception_ = std::move(exception);
  if (is_inherited()) {  // The registry of a child process does not contain it.
    links = {};
    FiberRegistry::instance().add(*this);
  }
  finish();
}

// On a worker of the scheduler.
JOBS_COLD void FiberControl::fail(std::exception_ptr exception) noexcept {
  exception_ = std::move(exception);
  const auto& on_unhandled = shared_->options().on_unhandled;
  if (!on_unhandled) return;
  try {
    if (!extras_) extras_ = std::make_unique<Extras>();
    extras_->on_unhandled = on_unhandled;
  } catch (...) {  // No copy of the hook: report_exception() ends the program, as without a hook.
  }
}

void FiberControl::report_exception() noexcept {
  if (!exception_ || is_cancelled(exception_)) return;
  std::exception_ptr exception = std::exchange(exception_, nullptr);
  if (!extras_ || !extras_->on_unhandled) Shared::terminate_unhandled(std::move(exception));
  extras_->on_unhandled(std::move(exception));
}

void FiberControl::detach() noexcept {
  bool in_time;
  {
    const std::scoped_lock lock(FiberRegistry::instance().lock_of(id));
    in_time = owners_.detach();
  }
  if (in_time) return release();
  for (Spin spin; !finished.is_set();) spin.once();  // For a few instructions of another thread.
  report_exception();
  release_joined();
}

bool FiberControl::mark_counted() noexcept { return !counted_.exchange(true, fiber_order::kCount); }

// --- messages ------------------------------------------------------------------------------------

bool FiberControl::schedule(std::unique_ptr<ResumeValue> value) {
  const FiberHost* const host = this_thread().host;
  if (host != nullptr && host->current().control == this) return false;  // It runs already.
  switch (fiber_signals.resume(std::move(value))) {
    case FiberSignals::Sent::kRefused:
    case FiberSignals::Sent::kEnds:
      return false;
    case FiberSignals::Sent::kStored:
      return true;
    case FiberSignals::Sent::kStarts:
      break;
  }
  try {
    submit_to(*shared_);
  } catch (...) {
    finish_unstarted(std::current_exception());
    throw;
  }
  return true;
}

bool FiberControl::interrupt(std::exception_ptr exception) noexcept {
  const FiberSignals::Sent sent = fiber_signals.interrupt(std::move(exception));
  // FiberSignals has not stored the exception, so it is still valid here.
  // NOLINTNEXTLINE(bugprone-use-after-move)
  if (sent == FiberSignals::Sent::kEnds) finish_unstarted(std::move(exception));
  return sent != FiberSignals::Sent::kRefused;
}

bool FiberControl::request_stop() noexcept {
  const FiberSignals::Sent sent = fiber_signals.request_stop();
  if (sent == FiberSignals::Sent::kEnds) finish_unstarted(std::make_exception_ptr(Cancelled()));
  return sent != FiberSignals::Sent::kRefused;
}

std::string FiberControl::name() const {
  const std::scoped_lock lock(name_lock_);
  return name_ ? std::string(name_.get(), name_.size() - 1) : std::string();
}

void FiberControl::rename(std::string_view new_name) {
  HeapArray<char> renamed;
  if (!new_name.empty()) renamed = copy_of(new_name);
  {
    const std::scoped_lock lock(name_lock_);
    std::swap(name_, renamed);
  }
  this_thread().host->current().name = name_.get();
}

}  // namespace jobs::inline JOBS_ABI::detail
