// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `Waiter`, one wait of one fiber or external thread.
//
// Owner: the frame of the wait. A waiter is on the list of a primitive, then a message on its
// way to its home host, then dead. The lock of the list guards its links.
//
// Two parties may remove a waiter from its list, and the lock of the list decides between them:
// - a granter, which then sends exactly one wake-up;
// - the waiter itself, after a deadline, a stop or an interrupt; then no wake-up is sent.
//
// Therefore no wake-up arrives late, and no ticket or generation is needed to tell two wake-ups
// apart.
#pragma once

#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct Selection;

struct Waiter : Wakeup {
  explicit Waiter(FiberCore& target, Signal what = kToken) : Waiter(&target, what) {}
  explicit Waiter(FiberCore* target, Signal what = kToken) : Wakeup(target, what) {}

  // The two flags are the first members, because they fill the padding behind those of Wakeup.

  // For lists of SemaphoreCore (semaphore_core.hpp): woken together with the permit, which no other
  // caller can have taken.
  Plain<bool> owns{false};
  // For lists of SemaphoreCore: has lost its permit to a barging caller once. It is first in the
  // list, and the next permit is handed to it.
  Plain<bool> urgent{false};

  // Guarded, like `next`, by the lock of its list. Null: on no list.
  Plain<Waiter*> previous{nullptr};

  // Selection of an Alternative (selection.hpp). Null: a wait for this list alone.
  Plain<Selection*> selection{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
