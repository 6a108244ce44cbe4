// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `LockOwner`, the identity of the owner of a lock, for checks: unlock() by another
// thread, lock() by the lock owner. It also holds the home of the lock owner, which decides whether
// a waiter spins.
//
// Owner: the lock that contains it. Any thread may read it; only the lock owner writes it.
//
// State: two words beside the lock. A thread that reads its own identity has written it itself and
// has not released the lock since. Therefore the answer of is_self() is exact. The home may be
// outdated: it is a hint, except after owner().
//
// Mutex reads the owner, then the home [lock_owner.1]. If the home is the host of the caller, the
// owner is a fiber of that host, and owns the lock still. Proof: the home that it reads is at
// least as new as the home that this owner has stored, because that store precedes the store of the
// owner. Only the caller's thread stores its own host. If a later owner had stored it, the caller's
// thread would have stored that later owner before, and could not read the earlier one.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace lock_owner_order {
JOBS_ORDER(kOwner, relaxed);     // a reader depends only on its own writes
JOBS_ORDER(kPublish, release);   // [lock_owner.1] partner: kSeeOwner
JOBS_ORDER(kSeeOwner, acquire);  // [lock_owner.1] partner: kPublish
}  // namespace lock_owner_order

class LockOwner {
 public:
  // Precondition of set_self() and clear(): the caller owns the lock. clear() precedes the release
  // of the lock.
  void set_self() noexcept {
    home_.store(this_thread().host, lock_owner_order::kOwner);
    owner_.store(self(), lock_owner_order::kPublish);
  }
  void clear() noexcept { owner_.store(nullptr, lock_owner_order::kOwner); }

  // For reports: the FiberCore of the lock owner, or the state of its thread; null if there is
  // none. May be outdated.
  const void* owner() const noexcept { return owner_.load(lock_owner_order::kSeeOwner); }

  bool is_self() const noexcept { return owner_.load(lock_owner_order::kOwner) == self(); }
  // Returns false if the lock owner is a fiber of this thread: it cannot continue while the caller
  // runs.
  bool is_on_other_host() const noexcept {
    const FiberHost* const here = this_thread().host;
    return here == nullptr || home_.load(lock_owner_order::kOwner) != here;
  }

  // The home of owner(), which the caller has read before; see above.
  const FiberHost* home() const noexcept { return home_.load(lock_owner_order::kOwner); }

 private:
  // The identity of the caller: the fiber; or the thread, if it has no fiber, also while it acts as
  // one to wait or as an external participant.
  static const void* self() noexcept {
    const ThreadState& thread = this_thread();
    if (thread.host == nullptr) return &thread;
    const FiberCore& fiber = thread.host->current();
    if (fiber.id == 0) return &thread;
    return &fiber;
  }

  Atomic<const void*> owner_{nullptr};
  Atomic<const FiberHost*> home_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
