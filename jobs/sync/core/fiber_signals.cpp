// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/fiber_signals.hpp"

#include <algorithm>
#include <mutex>

#include "jobs/error.hpp"
#include "jobs/sync/core/interrupt.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD ResumeValue::~ResumeValue() {
  while (next != nullptr) next = std::move(next->next);
}

namespace {

bool fits(const TypeIdentity& awaited, const ResumeValue* value) noexcept {
  if (awaited == kTypeIdentity<void>) return true;  // a value is dropped
  return value != nullptr && value->type == awaited;
}

[[noreturn]] JOBS_COLD void throw_wrong_type() {
  throw Error(ErrorCode::kBadArgument,
              "Fiber: it was scheduled with a value of another type than its suspend() waits for");
}

}  // namespace

// --- any thread ----------------------------------------------------------------------------------

FiberSignals::Sent FiberSignals::resume(std::unique_ptr<ResumeValue> value) {
  {
    std::unique_lock lock(lock_);
    if (phase_ == Phase::kDead) return Sent::kRefused;
    if (has_resume_) return append(value) ? Sent::kStored : Sent::kRefused;
    if (awaited_ != nullptr && !fits(*awaited_, value.get())) {
      lock.unlock();
      throw_wrong_type();
    }
    // The call that starts a fiber does not end its first suspend(), unless the call carries a
    // value.
    has_resume_ = phase_ != Phase::kUnstarted || value != nullptr;
    is_bare_ = has_resume_ && value == nullptr;
    value_ = std::move(value);
    if (phase_ == Phase::kUnstarted) {
      phase_ = Phase::kQueued;
      return Sent::kStarts;
    }
    if (phase_ == Phase::kQueued) return Sent::kStored;
  }
  wake(resume_message_);
  return Sent::kStored;
}

bool FiberSignals::append(std::unique_ptr<ResumeValue>& value) noexcept {
  if (value == nullptr) return false;
  if (value_ == nullptr) {
    value_ = std::move(value);
    return true;
  }
  if (value_->waiting == ResumeValue::kMaxWaiting) return false;
  ++value_->waiting;
  ResumeValue*& last = value_->last;
  last->next = std::move(value);
  last = last->next.get();
  return true;
}

FiberSignals::Sent FiberSignals::interrupt(std::exception_ptr&& exception) noexcept {
  {
    const std::scoped_lock lock(lock_);
    if (phase_ == Phase::kDead || exception_ != nullptr) return Sent::kRefused;
    if (phase_ == Phase::kUnstarted) {
      set_dead();
      return Sent::kEnds;
    }
    exception_ = std::move(exception);
    if (phase_ == Phase::kQueued || std::exchange(interrupt_sent_, true)) return Sent::kStored;
  }
  wake(interrupt_message_);
  return Sent::kStored;
}

FiberSignals::Sent FiberSignals::request_stop() noexcept {
  std::stop_source stop{std::nostopstate};
  bool send = false;
  {
    const std::scoped_lock lock(lock_);
    if (std::exchange(stop_requested_, true)) return Sent::kRefused;
    if (phase_ == Phase::kUnstarted) {
      set_dead();
      return Sent::kEnds;
    }
    send = phase_ == Phase::kLive && !std::exchange(interrupt_sent_, true);
    stop = stop_;
  }
  if (send) wake(interrupt_message_);
  stop.request_stop();  // runs callbacks of the user: last, and without the lock
  return Sent::kStored;
}

void FiberSignals::set_dead() noexcept {
  phase_ = Phase::kDead;
  for (const DeathWatch* watch = watches_; watch != nullptr; watch = watch->next)
    watch->gate->open();
}

bool FiberSignals::watch(DeathWatch& watch) noexcept {
  const std::scoped_lock lock(lock_);
  if (phase_ == Phase::kDead) return false;
  watch.next = watches_;
  watches_ = &watch;
  return true;
}

void FiberSignals::unwatch(DeathWatch& watch) noexcept {
  const std::scoped_lock lock(lock_);
  for (DeathWatch** link = &watches_; *link != nullptr; link = &(*link)->next) {
    if (*link != &watch) continue;
    *link = watch.next;
    return;
  }
}

FiberState FiberSignals::state() const noexcept {
  const std::scoped_lock lock(lock_);
  switch (phase_) {
    case Phase::kUnstarted:
      return FiberState::kWaiting;
    case Phase::kQueued:
      return FiberState::kRunnable;
    case Phase::kLive:
      return fiber_->observed_state.load(std::memory_order_relaxed);
    case Phase::kDead:
      break;
  }
  return FiberState::kDead;
}

std::uint64_t FiberSignals::switches() const noexcept {
  const std::scoped_lock lock(lock_);
  if (phase_ != Phase::kLive) return switches_;
  return fiber_->switches.load(std::memory_order_relaxed) - switches_;
}

// --- the fiber itself ----------------------------------------------------------------------------

void FiberSignals::open(FiberCore& fiber) noexcept {
  fiber.fiber_signals = this;
  fiber.interrupts = kInterrupt;
  const std::scoped_lock lock(lock_);
  phase_ = Phase::kLive;
  fiber_ = &fiber;
  switches_ = fiber.switches.load(std::memory_order_relaxed);
  resume_message_.fiber = &fiber;
  interrupt_message_.fiber = &fiber;
  if (has_resume_) fiber.signals = fiber.signals | kResume;
  interrupt_sent_ = stop_requested_ || exception_ != nullptr;
  if (interrupt_sent_) fiber.signals = fiber.signals | kInterrupt;
}

unsigned FiberSignals::close() noexcept {
  if (fiber_ != nullptr) {  // otherwise the fiber never ran
    FiberCore& fiber = *fiber_;
    const unsigned sent = (has_resume_ ? kResume : 0u) | (interrupt_sent_ ? kInterrupt : 0u);
    if (const unsigned pending = sent & ~fiber.signals; pending != 0) return pending;
    switches_ = fiber.switches.load(std::memory_order_relaxed) - switches_;
    fiber.interrupts = 0;
    fiber.signals = 0;
    fiber.fiber_signals = nullptr;
  }
  set_dead();
  return 0;
}

void FiberSignals::receive(FiberHost& host, unsigned signals) noexcept {
  for (const Signal one : {kResume, kInterrupt}) {
    if ((signals & one) == 0) continue;
    host.suspend(one);
    fiber_->signals = fiber_->signals | one;  // not consumed: close() reads it
  }
}

std::unique_ptr<ResumeValue> FiberSignals::take_first(FiberCore& fiber) noexcept {
  std::unique_ptr<ResumeValue> first;
  if (!std::exchange(is_bare_, false)) {
    first = std::move(value_);
    value_ = std::move(first->next);
    if (value_ != nullptr) {
      value_->last = first->last;
      value_->waiting = first->waiting - 1;
    }
  }
  has_resume_ = value_ != nullptr;
  if (value_ != nullptr) fiber.signals = fiber.signals | kResume;
  return first;
}

bool FiberSignals::await(FiberHost& host, const TypeIdentity& type, os::Nanoseconds deadline,
                         std::unique_ptr<ResumeValue>& value) {
  host.prepare_wait();
  FiberCore& fiber = host.current();
  {
    std::unique_lock lock(lock_);
    if (has_resume_ && !fits(type, first_value())) {
      // The value is taken although its type is wrong: otherwise the next suspend() would find it
      // again. The message is consumed first: until it has arrived, no other message may be sent.
      lock.unlock();
      host.suspend(kResume);
      lock.lock();
      const std::unique_ptr<ResumeValue> lost = take_first(fiber);
      lock.unlock();
      throw_wrong_type();
    }
    awaited_ = &type;
  }
  const bool limited = fiber.limit < deadline;
  Deadline timer(&fiber, limited ? fiber.limit : deadline);
  if (timer.at != os::kNever) host.arm(timer);
  fiber.waits_for = {WaitKind::kSchedule, nullptr};
  const unsigned got = host.suspend(kResume | kTimeout | fiber.interrupts);
  if (timer.at != os::kNever) host.disarm(timer);
  fiber.signals = fiber.signals & ~unsigned{kTimeout};

  const bool interrupted = (got & kInterrupt) != 0 || ((got & kResume) == 0 && limited);
  {
    const std::scoped_lock lock(lock_);
    awaited_ = nullptr;
    if ((got & kResume) != 0 && !interrupted) {
      value = take_first(fiber);
      return true;
    }
  }
  if ((got & kResume) != 0)
    fiber.signals = fiber.signals | kResume;  // for the next suspend(): the interrupt comes first
  if (interrupted) detail::throw_interrupt(fiber);
  return false;
}

JOBS_COLD void FiberSignals::throw_interrupt(FiberCore& fiber) {
  std::exception_ptr exception;
  {
    const std::scoped_lock lock(lock_);
    exception = std::exchange(exception_, nullptr);
    if (!stop_requested_) {  // a requested stop ends every later wait, too
      interrupt_sent_ = false;
      fiber.signals = fiber.signals & ~unsigned{kInterrupt};
    }
  }
  if (exception) std::rethrow_exception(std::move(exception));
  throw Cancelled();
}

std::stop_token FiberSignals::stop_token() {
  std::stop_source fresh;
  bool stop = false;
  {
    const std::scoped_lock lock(lock_);
    if (stop_.stop_possible()) return stop_.get_token();
    stop_ = fresh;
    stop = stop_requested_;
  }
  if (stop) fresh.request_stop();
  return fresh.get_token();
}

}  // namespace jobs::inline JOBS_ABI::detail
