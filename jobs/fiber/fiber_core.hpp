// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberCore: the part of a fiber that waits. It is either a fiber with a stack (StackFiber), or an
// external thread, seen as one fiber that never switches (ThreadHost).
//
// Only the home accesses the fields, which are plain data. Other threads send a Wakeup instead.
// Observers on other threads may read OwnerWritten and atomic fields.
#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/wait_site.hpp"
#include "jobs/fiber_state.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

class FiberHost;
struct FiberCore;

// Base classes, without members, of the objects that the layers above attach to a fiber.
struct FiberAttachment {};  // of a public Fiber
struct SignalSource {};     // sender of kInterrupt and kResume

using CodeAddress = void (*)();

// A value that only its owner writes and that observers on other threads may read. No decision
// depends on the observed value, so the model checker does not need it. The owner reads the value
// as a plain T, because no other thread writes it.
template <class T>
class OwnerWritten {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): stands for a T
  constexpr OwnerWritten(T value) noexcept : value_(value) {}
  OwnerWritten(const OwnerWritten&) = delete;
  T operator=(T value) noexcept {  // NOLINT(misc-unconventional-assign-operator): returns a T
    __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
    return value;
  }
  // NOLINTNEXTLINE(google-explicit-constructor): for the owner
  operator T() const noexcept { return value_; }
  // Reads the value together with the data that it points to. Any thread.
  T load_remote() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }

 private:
  T value_;
};

// Reasons to wake a fiber; a set of bits.
enum Signal : unsigned {
  kToken = 1,    // the awaited event has happened
  kTimeout = 2,  // the deadline has passed
  kCancel = 4,   // the wait ends early
  // Sent by the fiber's `FiberSignals`. Both bits stay set until the fiber reads it, so they do not
  // disturb a wait that ignores them.
  kInterrupt = 8,  // an exception is pending, or a stop was requested
  kResume = 16,    // a caller has scheduled the fiber
};

// A promised wake-up, in the frame of the waiter. It lives until its signal is delivered or the
// promise is withdrawn.
struct Wakeup {
  explicit Wakeup(FiberCore* target, unsigned what = kToken) : fiber(target), signal(what) {}
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  Plain<Wakeup*> next{nullptr};  // link of the inbox that carries it to the home
  Plain<FiberCore*> fiber;       // null: a message to the host itself
  const unsigned signal;
};

struct FiberCore {
  explicit FiberCore(FiberHost* home_host) : home(home_host) {}
  FiberCore(const FiberCore&) = delete;
  FiberCore& operator=(const FiberCore&) = delete;

  // Values of `suspended`. kObserved: suspended, and the WaitObserver receives the end of the
  // suspension.
  enum : std::uint8_t { kAwake, kSuspended, kObserved };

  FiberHost* const home;                  // the only host that ever runs it
  Plain<unsigned> signals{0};             // delivered and not yet consumed
  Plain<std::uint8_t> suspended{kAwake};  // kAwake: it runs, or is on the ready list
  std::uint8_t rank = 0;  // Of higher ranks, a woken fiber runs before ready ones of lower ranks.
  bool in_observed_wait = false;  // an observer has seen the begin of a wait, and not its end
  std::uint8_t below_normal = 0;  // levels_below_normal() of the job or Fiber that runs here
  Plain<FiberCore*> next_ready{nullptr};
  OwnerWritten<std::uint64_t> id{0};  // 0: an external thread
  const char* name = nullptr;         // lives as long as the fiber; null: unnamed
  // Of the public Fiber that runs here; null: a fiber that serves jobs, or a thread.
  FiberAttachment* control = nullptr;
  SignalSource* fiber_signals = nullptr;  // those of `control`

  // Causes that end any wait of the fiber early (sync/core/interrupt.hpp).
  unsigned interrupts = 0;             // kInterrupt; 0: not a public Fiber, or shielded
  os::Nanoseconds limit = os::kNever;  // nearest deadline of the enclosing scopes
  const void* limit_scope = nullptr;   // the scope of that deadline
  bool must_wait = false;              // waits even if no stack is left to continue on

  WaitSite waits_for{};  // for reports: the object of its last wait
  // Time of its last suspension if the scheduler accounts for waits; 0: unknown.
  os::Nanoseconds suspended_at = 0;
  OwnerWritten<CodeAddress> job{nullptr};  // for reports: the last job that started on it

  // For observers on other threads only. No decision depends on it, so the model checker does not
  // need it.
  std::atomic<FiberState> observed_state{FiberState::kRunning};
  std::atomic<std::uint64_t> switches{0};  // number of suspensions; written by the home
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
