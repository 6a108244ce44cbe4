// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Priority inheritance through locks: a critical or high Fiber that waits for a Mutex lets the lock
// owner run soon. Any thread may call begin_ranks(); Mutex calls the rest through a pointer, so
// that programs without such Fibers do not contain it.
//
// The lock owner is a fiber of the same worker:
//   ready      it moves to the front of the ready list
//   suspended  it goes to the front when it wakes up next (kAdvances)
// The lock owner is a fiber of another worker:
//   ready      a message asks that worker to move it to the front
//   otherwise  nothing: it runs already, or another thread cannot see whether it still exists
//
// The lift is for one turn. A lock owner that runs and waits again, with the lock, wakes up by its
// own rank. The lift is not transitive: if the lock owner itself waits for a lock, the owner of
// that lock is not lifted. If other fibers stand before the waiter in the queue of the lock, they
// own the lock next, and are not lifted either.
//
// A condition variable that locks its mutex again lifts nothing. A task that awaits a mutex has no
// rank, and lifts nothing.
//
// Rejected:
// - A rank that lasts until the unlock. Each unlock() would look for it.
// - kAdvances until the next contended unlock. A waiter that gives up makes the unlock uncontended,
//   and the owner would go before all fibers from then on.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Called before a fiber gets a rank: from then on, ranks have an effect.
void begin_ranks() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
