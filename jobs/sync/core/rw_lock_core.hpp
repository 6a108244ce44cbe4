// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `RwLockCore`, one exclusive permit or any number of shared permits: the core of
// SharedMutex.
//
// Owner: the primitive that contains it. Any thread may call any member; unlink() is for the
// thread of the waiter.
//
// State: the payload is the number of shared permits in use, or kExclusive for the exclusive
// permit. 0 means free.
//
// Invariants:
// - The order is strictly FIFO, and adjacent readers of the queue enter together. A reader that
//   finds a waiter queues, too, so a stream of readers does not starve a writer. After a writer,
//   all readers up to the next writer enter.
// - Permits are handed over under the lock bit. Nothing is free while a fiber waits.
// - While the lock bit is set, the payload may shrink, because readers leave, but not to 0. The
//   thread that releases the last permit while fibers wait needs the lock bit, too.
#pragma once

#include <cstdint>

#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace rw_lock_order {
// [rw_lock.1] The new owner of a permit sees the effects that precede its release. Readers that
// leave extend the release sequence.
JOBS_ORDER(kTake, acquire);  // partners: kRelease, kTransfer
JOBS_ORDER(kRelease,
           release);  // partners: kTake; wait_queue_order::kLock of the last reader to leave
JOBS_ORDER(kTransfer,
           release);  // partners: kTake; wait_queue_order::kLock, because it also unlocks the list
}  // namespace rw_lock_order

class JOBS_EXPORT RwLockCore : public WaitQueue {
 public:
  enum class Kind : bool { kExclusive, kShared };

  RwLockCore() noexcept : WaitQueue(0) {}

  static bool is_exclusive(WaitState state) noexcept { return state.payload() == kExclusive; }

  // Returns false if permits in use exclude this kind, or if a fiber waits.
  bool try_acquire(Kind kind) noexcept;

  // Suspends the fiber (parks an external thread) until it has a permit, or until the limit
  // `limit`.
  WaitStatus acquire(Kind kind, WaitLimit limit);

  // The last access of the caller, unless a fiber waits inside acquire(). Precondition: the caller
  // has a permit of that kind.
  void release(Kind kind) noexcept;

  // For park(): withdraws the promise. Returns false if it is too late: the wake-up is on its way,
  // and the caller must consume it.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

  // --- for waits that begin elsewhere (runtime/coroutine/shared_mutex_wait.hpp) ---

  struct Claim : Waiter {
    Claim(FiberCore& target, Kind what) : Waiter(target), kind(what) {}
    const Kind kind;
  };

  // Puts `claim` on the list and promises it a wake-up, which comes with the permit. Returns false
  // if it took a permit instead.
  [[nodiscard]] bool link(Claim& claim) noexcept;

 private:
  // Larger than any number of readers.
  static constexpr std::uint64_t kExclusive = std::uint64_t{1} << 60;

  static constexpr std::uint64_t units(Kind kind) noexcept {
    return kind == Kind::kShared ? 1 : kExclusive;
  }
  static bool admits(WaitState state, Kind kind) noexcept {
    return kind == Kind::kExclusive ? state.payload() == 0
                                    : state.payload() < kExclusive && !state.has_waiters();
  }
  void unlock_and_transfer(WaitState before, std::uint64_t released) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
