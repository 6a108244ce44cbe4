// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// park: the one function in which a fiber waits. A fiber that has linked its waiter suspends here until it is woken, late or
// cancelled.
//
// A waker may come between the link and the suspension. That is harmless because fibers are pinned: the wake-up only goes into the
// inbox of the home, which cannot look at it before it has left this fiber. (A fiber that may migrate would need a step that runs
// after the switch.)
//
// Rule: withdraw or consume. Before the frame of the wait dies, each wake-up that was promised to it is either withdrawn or
// awaited. An alarm decides nothing; it only makes the fiber look: still on the list means late, otherwise the token is on its
// way.
#pragma once

#include "jobs/base/deadline.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/gate.hpp"
#include "jobs/sync/interrupt.hpp"
#include "jobs/sync/thread_host.hpp"
#include "jobs/sync/until.hpp"
#include "jobs/sync/waiter.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The rest of park(): a wait that a deadline or a stop may end.
template <class List>
JOBS_NOINLINE Outcome park_with_alarms(FiberHost& host, List& list, Waiter& self, Until until) noexcept {
  FiberCore& fiber = host.current();
  const bool limited = fiber.limit < until.deadline;
  Deadline deadline(&fiber, limited ? fiber.limit : until.deadline);
  if (deadline.at != os::kNever) host.arm(deadline);
  Waiter stop(fiber, kCancel);
  const bool watches_stop = until.stop != nullptr && until.stop->link(stop);

  const bool stopped_before = until.stop != nullptr && !watches_stop;
  const unsigned got = stopped_before ? kCancel : host.suspend(kToken | kTimeout | kCancel | fiber.interrupts);
  bool granted = (got & kToken) != 0;
  if (!granted && !list.unlink(self)) {
    host.suspend(kToken);
    granted = true;
  }

  if (deadline.at != os::kNever) host.disarm(deadline);
  if (watches_stop && (got & kCancel) == 0 && !until.stop->unlink(stop)) host.suspend(kCancel);
  fiber.signals = fiber.signals & ~unsigned{kTimeout | kCancel};  // alarms that nobody needs any more

  if (granted) return Outcome::kOk;
  if ((got & kInterrupt) != 0 || (limited && (got & kTimeout) != 0)) return Outcome::kInterrupted;
  return (got & kCancel) != 0 ? Outcome::kCancelled : Outcome::kTimedOut;
}

// pre: `self` is the current fiber of `host`'s waiter, linked on `list`, whose unlink() withdraws it (false: too late).
// post: kOk: the token was received. Otherwise `self` is off the list and no token will come. The caller passes the outcome to
// throw_if_interrupted() when it has tidied up. `site`: what the user knows that he waits for.
template <class List>
JOBS_ALWAYS_INLINE Outcome park(FiberHost& host, List& list, Waiter& self, Until until, WaitSite site) noexcept {
  FiberCore& fiber = host.current();
  fiber.waits_for = site;
  if (!until.endless() || fiber.limit != os::kNever) return park_with_alarms(host, list, self, until);
  if ((host.suspend(kToken | fiber.interrupts) & kToken) != 0) return Outcome::kOk;
  if (list.unlink(self)) return Outcome::kInterrupted;
  host.suspend(kToken);
  return Outcome::kOk;
}

// Waits for a gate, whose link() fails once it is open.
template <class AnyGate>
Outcome wait_until_open(AnyGate& gate, Until until, WaitKind kind) {
  if (gate.is_open()) return Outcome::kOk;
  if (until.deadline == kPoll) return Outcome::kTimedOut;
  FiberHost* const host = this_thread().host;
  if (host == nullptr) [[unlikely]]
    return as_external_thread([&] { return wait_until_open(gate, until, kind); });
  host->prepare_wait();
  Waiter self(host->current());
  return gate.link(self) ? throw_if_interrupted(*host, park(*host, gate, self, until, {kind, &gate})) : Outcome::kOk;
}

}  // namespace jobs::inline JOBS_ABI::detail
