// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiter: one wait of one fiber (or external thread). It lives in the frame of the wait: first on the list of a primitive,
// then as a message on its way home, then dead.
//
// Two parties may take it off the list, and the lock of the list decides which: one that grants the wait, and then sends exactly
// one wake-up, or the waiter itself (late or cancelled), and then nobody does. So there are no late wake-ups, and no tickets or
// generations to tell them apart.
#pragma once

#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct Selection;

struct Waiter : Wakeup {
  explicit Waiter(FiberCore& who, Signal what = kToken) : Waiter(&who, what) {}
  explicit Waiter(FiberCore* who, Signal what = kToken) : Wakeup(who, what) {}

  // Like `next`, guarded by the lock of the list it is on; null: on no list.
  Plain<Waiter*> previous{nullptr};

  Plain<Selection*> selection{nullptr};  // of an Alternative (selection.hpp); null: a wait for this list alone

  // For lists of Permits (permits.hpp).
  Plain<bool> owns{false};    // woken with the permit in hand: nobody else can have taken it
  Plain<bool> urgent{false};  // has lost its permit to a barger once: stands first, and is handed the next one
};

}  // namespace jobs::inline JOBS_ABI::detail
