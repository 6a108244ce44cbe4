// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberCore: what can wait. Either a fiber with a stack (StackFiber) or an external thread seen as one fiber that never
// switches (ThreadHost). Every field belongs to the home alone and is plain data: other threads send a Wakeup instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/wait_site.hpp"

namespace jobs::inline JOBS_ABI {

enum class FiberState : std::uint8_t {
  kRunnable,  // ready, or not yet taken by a worker
  kRunning,
  kWaiting,  // for whatever it waits for; or created suspended and not yet scheduled
  kDead,     // its function has returned or thrown
};

namespace detail {

class FiberControl;
class FiberHost;
class Job;
class Mailbox;
struct FiberCore;

// What only its owner writes, and observers on other threads may see: nothing is decided by it, so that the model need not. For
// the owner it is a plain T, which it may read as one because nobody else writes.
template <class T>
class Shown {
 public:
  constexpr Shown(T value) noexcept : value_(value) {}  // NOLINT(google-explicit-constructor): it is one
  Shown(const Shown&) = delete;
  T operator=(T value) noexcept {  // NOLINT(misc-unconventional-assign-operator): as a T
    __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
    return value;
  }
  operator T() const noexcept { return value_; }  // NOLINT(google-explicit-constructor): by the owner
  // With what it points to. Any thread.
  T from_afar() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }

 private:
  T value_;
};

// What a fiber may be woken for; a set of bits.
enum Signal : unsigned {
  kToken = 1,    // what it waits for has happened
  kTimeout = 2,  // its deadline has passed
  kCancel = 4,   // its wait is to end early
  // From the fiber's mailbox. Both stay until the mailbox has been read: a wait that is not interested is not disturbed.
  kInterrupt = 8,  // there is an exception to throw, or its stop was requested
  kResume = 16,    // somebody has scheduled it
};

// One promised wake-up, in the waiter's frame: alive until the signal is delivered or the promise is withdrawn.
struct Wakeup {
  explicit Wakeup(FiberCore* who, unsigned what = kToken) : fiber(who), signal(what) {}
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  Plain<Wakeup*> next{nullptr};  // link of the inbox that carries it home
  Plain<FiberCore*> fiber;       // null: a message to the host itself
  const unsigned signal;
};

struct FiberCore {
  explicit FiberCore(FiberHost* home_host) : home(home_host) {}
  FiberCore(const FiberCore&) = delete;
  FiberCore& operator=(const FiberCore&) = delete;

  FiberHost* const home;         // the only host that ever runs it
  Plain<unsigned> signals{0};    // delivered and not yet consumed
  Plain<bool> suspended{false};  // true: not running and not on the ready list
  Plain<FiberCore*> next_ready{nullptr};
  Shown<std::uint64_t> id{0};       // 0: an external thread
  const char* name = nullptr;       // lives as long as the fiber; null: unnamed
  FiberControl* control = nullptr;  // of the public Fiber that runs here; null: a fiber that serves jobs, or a thread
  Mailbox* mailbox = nullptr;       // the control's

  // What ends its waits early, whatever they are for (sync/interrupt.hpp).
  unsigned interrupts = 0;             // kInterrupt, or nothing: no Fiber, or shielded
  os::Nanoseconds limit = os::kNever;  // nearest deadline of the scopes that it is in
  const void* limit_scope = nullptr;   // whose
  bool must_wait = false;              // a wait that finds no stack to go on with waits nevertheless

  WaitSite waits_for{};                // of its last wait, for reports
  os::Nanoseconds left_at = 0;         // when it was last left, if the scheduler keeps account of that; 0: not known
  Shown<void (*)(Job&)> job{nullptr};  // that was started on it last, for reports

  // For observers on other threads only: nothing is decided by it, so that the model need not see it.
  std::atomic<FiberState> shown{FiberState::kRunning};
  std::atomic<std::uint64_t> switches{0};  // how often it has been left; the home writes
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
