// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberHost: the home of fibers, and the only interface of the upper layers that `sync` uses. A
// worker is the host of many fibers. A waiting external thread is the host of one fiber. Any thread
// may call post() and current_remote(); only the thread of the host calls the other functions.
//
// Protocol of a wait:
// 1. The fiber publishes a Wakeup.
// 2. The fiber calls suspend().
//
// A waker may come between the two steps. That is harmless because fibers are pinned: post() only
// appends the message to the home's inbox. The home cannot read its inbox before it has left this
// fiber.
#pragma once

#include "jobs/base/annotate.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A point in time at which the host delivers kTimeout to a fiber; in the frame of the wait. It
// fires once: the host removes it from its queue first.
struct Deadline {
  Deadline(FiberCore* target, os::Nanoseconds when) : fiber(target), at(when) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  FiberCore* const fiber;
  const os::Nanoseconds at;
  bool armed = false;  // in its host's queue
  // Links of the host's queue.
  Deadline* next = nullptr;
  Deadline* previous = nullptr;
  unsigned slot_index = 0;
};

// A deadline without a fiber. It belongs to the worker that arms it, which makes the call when it
// fires; then it may be destroyed. ThreadHost accepts none.
struct CallAtDeadline : Deadline {
  using Call = void (*)(CallAtDeadline&) noexcept;

  CallAtDeadline(Call function, os::Nanoseconds when) : Deadline(nullptr, when), call(function) {}

  const Call call;
};

// Receives a call on the home thread when a fiber suspends and when it resumes. For hooks and
// accounting. The callbacks must not switch fibers.
//
// The state that on_suspend() observes is kRunning if a Fiber ends, and otherwise that of the fiber
// from then on. on_resume() is called, too, when a Fiber begins.
class SwitchObserver {
 public:
  virtual void on_suspend(FiberCore& fiber) noexcept = 0;
  virtual void on_resume(FiberCore& fiber) noexcept = 0;

 protected:
  ~SwitchObserver() = default;
};

// Receives what ends the waits of fibers, and the waits for locks. For recorders of traces. Any
// thread calls the functions, each for its own events.
class WaitObserver {
 public:
  // `fiber` becomes ready, on the thread of its home. `signal`: what it receives.
  virtual void on_ready(const FiberCore& fiber, unsigned signal) noexcept = 0;
  // Another thread than the home is about to send `wakeup` to `host`.
  virtual void on_wake(const FiberHost& host, const Wakeup& wakeup) noexcept = 0;
  // The caller begins to wait for a lock, or the wait has ended: with the lock, or without it.
  // `owner`: LockOwner::owner().
  virtual void on_lock_wait(const void* lock, const void* owner) noexcept = 0;
  virtual void on_lock_wait_end(const void* lock, bool is_owner) noexcept = 0;
  // The caller is about to release a lock, or a permit, that fibers wait for.
  virtual void on_unlock(const void* lock) noexcept = 0;

  // Of external threads while they wait.
  SwitchObserver& thread_switches;

 protected:
  constexpr explicit WaitObserver(SwitchObserver& switches) noexcept : thread_switches(switches) {}
  ~WaitObserver() = default;
};

// Null while nothing records. Relaxed: the only observer is a static object, so the pointer
// publishes nothing. A thread may call it for a while after it was set to null.
JOBS_EXPORT extern std::atomic<WaitObserver*> the_wait_observer;

inline WaitObserver* wait_observer() noexcept {
  return the_wait_observer.load(std::memory_order_relaxed);
}

class FiberHost {
 public:
  FiberHost() = default;
  FiberHost(const FiberHost&) = delete;
  FiberHost& operator=(const FiberHost&) = delete;

  // A Fiber begins to run, or has ended, on the current stack.
  void begins(FiberCore& fiber) noexcept {
    fiber.observed_state.store(FiberState::kRunning, std::memory_order_relaxed);
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_resume(fiber);
  }
  void ends(FiberCore& fiber) noexcept {
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_suspend(fiber);
  }

  // The running fiber.
  FiberCore& current() const noexcept { return *static_cast<FiberCore*>(current_); }
  // For observers on other threads: null, or a fiber. The observer may read its Shown fields.
  const FiberCore* current_remote() const noexcept { return current_.load_remote(); }

  // Ensures that the current fiber can suspend. A wait calls it before it publishes its Wakeup,
  // which is the last moment at which it can fail. Throws Error(kNoStack) if the host needs one
  // more fiber to continue with and cannot allocate it.
  virtual void prepare_wait() {}

  // Suspends the current fiber until one of the `wanted` signals has arrived; returns and consumes
  // the wanted signals. It does not consume an interrupt, which stays set until the fiber reads its
  // signals.
  unsigned suspend(unsigned wanted) noexcept {
    FiberCore& self = current();
    while (!(self.signals & wanted)) {
      check_may_suspend();
      chaos::inject_delay();
      self.suspended = FiberCore::kSuspended;
      leave(FiberState::kWaiting);
    }
    sanitizer::annotate_acquire(&self);
    const unsigned got = self.signals & wanted;
    self.signals = self.signals & ~(got & ~unsigned{kInterrupt});
    return got;
  }

  // Delivers `signal` to a fiber of this host. If the fiber is suspended, adds it to the ready
  // list, before the fibers of lower ranks.
  void deliver(FiberCore& fiber, unsigned signal) noexcept {
    fiber.signals = fiber.signals | signal;
    if (fiber.suspended != FiberCore::kSuspended) [[unlikely]]
      return deliver_rare(fiber, signal);
    fiber.suspended = FiberCore::kAwake;
    fiber.observed_state.store(FiberState::kRunnable, std::memory_order_relaxed);
    push_woken(fiber);
  }

  // Starts and cancels a deadline of a fiber of this host. disarm() of a deadline that has fired
  // does nothing. Neither call allocates.
  virtual void arm(Deadline& deadline) noexcept = 0;
  virtual void disarm(Deadline& deadline) noexcept = 0;

  // Sends a wake-up to the home from another thread. It is the caller's last access to the wake-up.
  // FIFO between two threads.
  virtual void post(Wakeup& wakeup) noexcept = 0;

  // For messages: "worker 3", "external thread".
  virtual const char* describe() const noexcept = 0;

 protected:
  ~FiberHost() = default;

  // Aborts if the current fiber holds a spin lock. If such a fiber suspended, other fibers would
  // spin on the lock, for ever if they run on this thread.
  void check_may_suspend() const noexcept {
    if (this_thread().spin_locks != 0) [[unlikely]]
      suspended_under_spin_lock();
  }

  // Runs other fibers until the host takes the current, suspended fiber from the ready list again.
  virtual void switch_away() noexcept = 0;

  // switch_away() with the accounting. state: the state that observers see in the meantime.
  void leave(FiberState state) noexcept {
    FiberCore& self = current();
    self.observed_state.store(state, std::memory_order_relaxed);
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_suspend(self);
    switch_away();
    after_resume(self);
  }
  void after_resume(FiberCore& self) noexcept {
    self.observed_state.store(FiberState::kRunning, std::memory_order_relaxed);
    self.switches.store(self.switches.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_resume(self);
  }

  // Inserts a fiber at the front of the ready list.
  void push_ready_front(FiberCore& fiber) noexcept {
    fiber.next_ready = static_cast<FiberCore*>(first_ready_);
    if (first_ready_ == nullptr) last_ready_ = &fiber;
    first_ready_ = &fiber;
  }
  void push_ready(FiberCore& fiber) noexcept {
    if (chaos::injects_failure()) return push_ready_front(fiber);
    fiber.next_ready = nullptr;
    if (first_ready_ != nullptr) {
      last_ready_->next_ready = &fiber;
    } else {
      first_ready_ = &fiber;
    }
    last_ready_ = &fiber;
  }
  // As push_ready(), but the fiber runs before ready fibers of lower ranks.
  void push_woken(FiberCore& fiber) noexcept {
    if (has_ready() && fiber.rank != 0) [[unlikely]]
      return insert_ready(fiber);
    push_ready(fiber);
  }
  // Visits the ready fibers in their order.
  template <class Visit>
  void for_each_ready(Visit&& visit) const {
    for (const FiberCore* fiber = first_ready_; fiber != nullptr; fiber = fiber->next_ready)
      visit(*fiber);
  }
  bool has_ready() const noexcept { return first_ready_ != nullptr; }
  // The fiber that pop_ready() would take.
  const FiberCore* first_ready() const noexcept { return first_ready_; }
  // Removes and returns the oldest ready fiber; null if the list is empty.
  FiberCore* pop_ready() noexcept {
    FiberCore* fiber = first_ready_;
    if (fiber != nullptr) first_ready_ = static_cast<FiberCore*>(fiber->next_ready);
    return fiber;
  }

  OwnerWritten<FiberCore*> current_{nullptr};
  SwitchObserver* observer_ = nullptr;  // null: no observer

 private:
  friend void advance_ready(FiberHost& host, const void* fiber) noexcept;

  JOBS_COLD JOBS_EXPORT void insert_ready(FiberCore& fiber) noexcept;
  // The fiber is observed, or awake: it checks its signals later.
  JOBS_COLD JOBS_EXPORT void deliver_rare(FiberCore& fiber, unsigned signal) noexcept;
  [[noreturn]] JOBS_COLD JOBS_EXPORT void suspended_under_spin_lock() const noexcept;

  Plain<FiberCore*> first_ready_{nullptr};
  Plain<FiberCore*> last_ready_{nullptr};
  // The fiber that the last step against starvation moved to the front. Only compared.
  const FiberCore* advanced_ = nullptr;
  unsigned overtakings_ = 0;
  bool advances_middle_ = false;
};

// Delivers a promised wake-up from any thread. It is the caller's last access: the frame of the
// wake-up may be destroyed at once.
inline void wake(Wakeup& wakeup) noexcept {
  FiberCore& fiber = *wakeup.fiber;
  FiberHost& home = *fiber.home;  // read before the send: fiber and frame may be destroyed at once
  chaos::inject_delay();
  // Annotated here and not at the delivery, because an unrelated fiber may deliver the message.
  sanitizer::annotate_release(&fiber);
  if (&home == this_thread().host) {
    home.deliver(fiber, wakeup.signal);
  } else {
    home.post(wakeup);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
