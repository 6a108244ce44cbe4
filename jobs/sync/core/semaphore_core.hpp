// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `SemaphoreCore`, an edge-triggered wait: one waiter takes the permit away. The core of
// Mutex, Semaphore and OnceFlag.
//
// Owner: the primitive that contains it. Any thread may call any member; link(), unlink() and
// contend() are for the thread of the waiter, and link() also for a notifier that acts for it
// (cond_var_queue.hpp).
//
// State: the payload is the number of free permits. A Mutex has one permit.
//
// Invariants:
// - A waiter takes the lock bit only at payload 0.
// - The payload grows only in a step from a word without flags, or under the lock bit. Therefore no
//   permit appears between the check and the link of a waiter.
//
// Protocol of release(), with barging (proof: README.md):
// step 1: A released permit is free for every caller, also if fibers wait. A running thread that
//         acquires it again saves a switch.
// step 2: The first waiter is woken and tries to acquire, for some microseconds.
// step 3: If it loses, it links itself at the front, `urgent`, and the next permit is handed to it.
//         Therefore a waiter loses at most once, under any load.
//
// release_fifo() is the protocol with strict order: each permit goes to the oldest waiter.
#pragma once

#include <cstdint>

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/lock_owner.hpp"
#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace semaphore_order {
// [semaphore.1] The new owner of a permit sees the effects that precede its release.
JOBS_ORDER(kTake, acquire);     // partners: kRelease, kTransfer
JOBS_ORDER(kRelease, release);  // partner: kTake
JOBS_ORDER(kTransfer,
           release);  // partners: kTake; wait_queue_order::kLock, because it also unlocks the list
}  // namespace semaphore_order

class JOBS_EXPORT SemaphoreCore : public WaitQueue {
 public:
  explicit SemaphoreCore(std::uint64_t count) noexcept : WaitQueue(count) {}

  bool try_acquire() noexcept {
    WaitState seen = WaitState::of(1);  // guess: the usual case, without a load
    do {
      if (replace(seen, seen.word - WaitState::kOne, semaphore_order::kTake,
                  wait_queue_order::kGuess))
        return true;
    } while (seen.payload() != 0);
    return false;
  }

  // Retries for about 20 us, with growing pauses, if `owner` runs on another worker. Returns false
  // if it got no permit.
  //
  // A suspension, and a wake-up from the other worker, take longer than most sections. Many fibers
  // that suspend for one lock pass it on from wake-up to wake-up, which is slower still. Sixteen
  // jobs on two workers took 41 ns for a lock with a limit of 5 us, and 26 ns with 20 us.
  bool try_acquire_spinning(const LockOwner& owner) noexcept;

  // Suspends the fiber (parks an external thread) until it has a permit, or until the limit
  // `limit`. `kind` names the primitive for reports; `owner` is its lock owner, if it has one.
  WaitStatus acquire(WaitLimit limit, WaitKind kind = WaitKind::kSemaphore,
                     const LockOwner* owner = nullptr);

  // The last access of the caller, unless a fiber waits inside acquire().
  void release() noexcept {
    WaitState seen = WaitState::of(0);  // guess: the usual case, without a load
    if (!replace(seen, WaitState::of(1).word, semaphore_order::kRelease, wait_queue_order::kGuess))
      release_contended(seen);
  }

  // Releases `count` permits in strict order: each permit goes to the oldest waiter that can be
  // granted, and the remaining permits are free. Selections link themselves only to such lists. For
  // primitives that release in this way only: then no permit is free while a fiber waits. Last
  // access as in release().
  void release_fifo(std::uint64_t count) noexcept;

  // --- for waits that begin elsewhere (cond_var_queue.hpp) ---

  // acquire() with a waiter that may have waited elsewhere before.
  WaitStatus contend(FiberHost& host, Waiter& self, WaitLimit limit, WaitKind kind,
                     const LockOwner* owner) noexcept;

  // Puts `waiter` on the list and promises it a wake-up. Returns false if it took a permit instead.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. Returns false if it is too late: the wake-up is on its way, and the
  // caller must consume it.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  JOBS_NOINLINE void release_contended(WaitState seen) noexcept;
  void release_first(WaitState before) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
