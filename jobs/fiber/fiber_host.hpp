// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberHost: the home of fibers, and all that `sync` knows of the layers above. A worker is a host of many fibers; an external
// thread that waits is a host of one. Everything but post() is for the thread of the host only.
//
// Waiting is: publish a Wakeup, then suspend(). A waker may come in between. That is harmless because fibers are pinned: post()
// only puts the message into the home's inbox, and the home cannot look at it before it has left this fiber.
#pragma once

#include "jobs/base/chaos.hpp"
#include "jobs/base/hand_over.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A time at which to deliver kTimeout to a fiber; in the frame of the wait. One-shot: off its host's queue before it fires.
struct Deadline {
  Deadline(FiberCore* who, os::Nanoseconds when) : fiber(who), at(when) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  FiberCore* const fiber;
  const os::Nanoseconds at;
  bool armed = false;  // on its host's queue
  // For the host's queue.
  Deadline* next = nullptr;
  Deadline* previous = nullptr;
  unsigned place = 0;
};

// Is told, on the home thread, when a fiber is left and when it goes on. For hooks and accounting; must not switch.
class SwitchObserver {
 public:
  virtual void on_suspend(FiberCore& fiber) noexcept = 0;
  virtual void on_resume(FiberCore& fiber) noexcept = 0;

 protected:
  ~SwitchObserver() = default;
};

class FiberHost {
 public:
  FiberHost() = default;
  FiberHost(const FiberHost&) = delete;
  FiberHost& operator=(const FiberHost&) = delete;

  // A Fiber begins to run, or has run, on the current stack.
  void begins(FiberCore& fiber) noexcept {
    fiber.shown.store(FiberState::kRunning, std::memory_order_relaxed);
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_resume(fiber);
  }
  void ends(FiberCore& fiber) noexcept {
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_suspend(fiber);
  }

  // The fiber that runs now.
  FiberCore& current() const noexcept { return *static_cast<FiberCore*>(current_); }
  // For observers on other threads: null, or a fiber whose Shown fields they may read.
  const FiberCore* shown_current() const noexcept { return current_.from_afar(); }

  // Makes sure that the current fiber can suspend. A wait calls it before it publishes its Wakeup, the last moment at which it
  // can still fail: throws Error(kNoStack) if the host would need one more fiber to go on with and cannot have it.
  virtual void prepare_wait() {}

  // Suspends the current fiber until one of the `wanted` signals is there; returns and consumes those. An interrupt is not
  // consumed: it stays until the mailbox has been read.
  unsigned suspend(unsigned wanted) noexcept {
    FiberCore& self = current();
    while (!(self.signals & wanted)) {
      check_may_suspend();
      chaos::point();
      self.suspended = true;
      leave(FiberState::kWaiting);
    }
    sanitizer::take_over(&self);
    const unsigned got = self.signals & wanted;
    self.signals = self.signals & ~(got & ~unsigned{kInterrupt});
    return got;
  }

  // Hands `signal` to a fiber of this host; makes it ready if it is suspended, at the end of the queue.
  void deliver(FiberCore& fiber, unsigned signal) noexcept {
    fiber.signals = fiber.signals | signal;
    if (!fiber.suspended) return;  // running, or on the ready list: it will look
    fiber.suspended = false;
    fiber.shown.store(FiberState::kRunnable, std::memory_order_relaxed);
    push_ready(fiber);
  }

  // Deadlines of fibers of this host. disarm() of one that has fired does nothing. Neither allocates.
  virtual void arm(Deadline& deadline) noexcept = 0;
  virtual void disarm(Deadline& deadline) noexcept = 0;

  // Sends a wake-up home from another thread. The caller's last touch of it. FIFO for each pair of threads.
  virtual void post(Wakeup& wakeup) noexcept = 0;

  // For messages: "worker 3", "external thread".
  virtual const char* describe() const noexcept = 0;

 protected:
  ~FiberHost() = default;

  // A fiber that let others run while it holds a spin lock would leave them spinning, on this thread for ever. Aborts.
  void check_may_suspend() const noexcept {
    if (this_thread().spin_locks != 0) [[unlikely]]
      suspended_under_spin_lock();
  }

  // Runs something else until the current fiber, which is suspended, has been taken from the ready list again.
  virtual void switch_away() noexcept = 0;

  // switch_away() with the bookkeeping. `state`: what observers see meanwhile.
  void leave(FiberState state) noexcept {
    FiberCore& self = current();
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_suspend(self);
    self.shown.store(state, std::memory_order_relaxed);
    switch_away();
    came_back(self);
  }
  void came_back(FiberCore& self) noexcept {
    self.shown.store(FiberState::kRunning, std::memory_order_relaxed);
    self.switches.store(self.switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_resume(self);
  }

  // Before all that are ready.
  void push_ready_front(FiberCore& fiber) noexcept {
    fiber.next_ready = static_cast<FiberCore*>(first_ready_);
    if (first_ready_ == nullptr) last_ready_ = &fiber;
    first_ready_ = &fiber;
  }
  void push_ready(FiberCore& fiber) noexcept {
    if (chaos::strikes()) return push_ready_front(fiber);
    fiber.next_ready = nullptr;
    if (first_ready_ != nullptr) {
      last_ready_->next_ready = &fiber;
    } else {
      first_ready_ = &fiber;
    }
    last_ready_ = &fiber;
  }
  // Visits those that are ready, in their order.
  template <class Visit>
  void for_each_ready(Visit&& visit) const {
    for (const FiberCore* fiber = first_ready_; fiber != nullptr; fiber = fiber->next_ready) visit(*fiber);
  }
  bool has_ready() const noexcept { return first_ready_ != nullptr; }
  // The one that pop_ready() would take.
  const FiberCore* first_ready() const noexcept { return first_ready_; }
  // Oldest first; null if none.
  FiberCore* pop_ready() noexcept {
    FiberCore* fiber = first_ready_;
    if (fiber != nullptr) first_ready_ = static_cast<FiberCore*>(fiber->next_ready);
    return fiber;
  }

  Shown<FiberCore*> current_{nullptr};
  SwitchObserver* observer_ = nullptr;  // null: nobody

 private:
  [[noreturn]] JOBS_COLD JOBS_EXPORT void suspended_under_spin_lock() const noexcept;

  Plain<FiberCore*> first_ready_{nullptr};
  Plain<FiberCore*> last_ready_{nullptr};
};

// Delivers a promised wake-up, from any thread. The caller's last touch of it: its frame may be gone at once.
inline void wake(Wakeup& wakeup) noexcept {
  FiberCore& fiber = *wakeup.fiber;
  FiberHost& home = *fiber.home;  // read before the wake-up goes out: fiber and frame may be gone at once
  chaos::point();
  sanitizer::hand_over(&fiber);  // not where it is delivered: by a fiber that happens to look
  if (&home == this_thread().host) {
    home.deliver(fiber, wakeup.signal);
  } else {
    home.post(wakeup);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
