// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Owner: who holds a lock, for checks: unlock() by another, lock() by the holder; and its home, to know whether to spin for it.
// Relaxed words beside the lock: whoever reads its own identity there has written it itself and not yet given the lock up, so the
// answer to "is it me?" is exact. The home may be outdated: a hint.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace owner_order {
JOBS_ORDER(kOwner, relaxed);  // everyone compares with itself only, and so depends on what it has written itself
}  // namespace owner_order

struct WaitSite;
// For reports: Owner::holder() of what is waited for there, null if that has none. pre: a fiber waits there.
const void* holder_of(const WaitSite& site) noexcept;

class Owner {
 public:
  // pre, of both: the caller holds the lock. clear() comes before the lock is released.
  void set_self() noexcept {
    who_.store(self(), owner_order::kOwner);
    home_.store(this_thread().host, owner_order::kOwner);
  }
  void clear() noexcept { who_.store(nullptr, owner_order::kOwner); }

  // For reports: the FiberCore of the holder, or the state of its thread; null: nobody. May be outdated.
  const void* holder() const noexcept { return who_.load(owner_order::kOwner); }

  bool is_self() const noexcept { return who_.load(owner_order::kOwner) == self(); }
  // False: the holder is a fiber of this very thread, and cannot go on while the caller runs.
  bool is_elsewhere() const noexcept {
    const FiberHost* const here = this_thread().host;
    return here == nullptr || home_.load(owner_order::kOwner) != here;
  }

 private:
  // Who asks: the fiber, or the thread if it has no fiber (also while it plays one, to wait or as a guest).
  static const void* self() noexcept {
    const ThreadState& thread = this_thread();
    if (thread.host == nullptr) return &thread;
    const FiberCore& fiber = thread.host->current();
    if (fiber.id == 0) return &thread;
    return &fiber;
  }

  Atomic<const void*> who_{nullptr};
  Atomic<const FiberHost*> home_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
