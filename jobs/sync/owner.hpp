// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Owner: who holds a lock, for checks only: unlock() by another, lock() by the holder. A relaxed word beside the lock: whoever
// reads its own identity there has written it itself and not yet given the lock up, so the answer to "is it me?" is exact.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace owner_order {
JOBS_ORDER(kOwner, relaxed);  // everyone compares with itself only, and so depends on what it has written itself
}  // namespace owner_order

class Owner {
 public:
  // pre, of both: the caller holds the lock. clear() comes before the lock is released.
  void set_self() noexcept { who_.store(self(), owner_order::kOwner); }
  void clear() noexcept { who_.store(nullptr, owner_order::kOwner); }

  bool is_self() const noexcept { return who_.load(owner_order::kOwner) == self(); }

 private:
  // Who asks: the fiber, or the thread if it has no fiber (also while it plays one, to wait or as a guest).
  static const void* self() noexcept {
    const ThreadState& thread = this_thread();
    if (thread.host == nullptr || thread.host->current().id == 0) return &thread;
    return &thread.host->current();
  }

  Atomic<const void*> who_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
