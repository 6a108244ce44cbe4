// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `park()`, the only function in which a fiber waits.
//
// Caller: the thread of the waiter, after it has linked its waiter.
//
// Protocol:
// step 1: The caller links the waiter to a list.
// step 2: park() suspends the fiber until a token, a deadline, a stop or an interrupt arrives.
// step 3: If the token has arrived, the wait has succeeded.
// step 4: Otherwise the fiber withdraws: it unlinks the waiter, and the wait has failed. If the
//         waiter has left the list already, its token is on the way: the fiber consumes it, and the
//         wait has succeeded.
// step 5: park() disarms the deadline, unlinks the stop, and clears their signals.
//
// Rule "withdraw or consume": before the frame of a wait dies, each wake-up that was promised to it
// is either withdrawn or consumed. A deadline, a stop and an interrupt decide nothing: they only
// make the fiber run step 4.
//
// A granter may act between step 1 and step 2. This is harmless, because fibers are pinned: the
// wake-up enters the inbox of the home, and the home reads its inbox only after it has left this
// fiber. A fiber that may migrate would need a step that runs after the switch.
#pragma once

#include "jobs/base/deadline.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/waiter.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Consumes a token that is on its way, after the wait has ended otherwise. Rare, so out of line.
JOBS_COLD inline void consume(FiberHost& host, unsigned signal) noexcept { host.suspend(signal); }

// The general case of park(): a wait that a deadline or a stop may end.
template <class List>
JOBS_COLD WaitStatus park_cancellable(FiberHost& host, List& list, Waiter& self,
                                      WaitLimit limit) noexcept {
  FiberCore& fiber = host.current();
  const bool limited = fiber.limit < limit.deadline;
  Deadline deadline(&fiber, limited ? fiber.limit : limit.deadline);
  if (deadline.at != os::kNever) host.arm(deadline);
  Waiter stop(fiber, kCancel);
  const bool watches_stop = limit.stop != nullptr && limit.stop->link(stop);

  const bool stopped_before = limit.stop != nullptr && !watches_stop;
  const unsigned got =
      stopped_before ? kCancel : host.suspend(kToken | kTimeout | kCancel | fiber.interrupts);
  bool received = (got & kToken) != 0;
  if (!received && !list.unlink(self)) {
    consume(host, kToken);
    received = true;
  }

  if (deadline.at != os::kNever) host.disarm(deadline);
  if (watches_stop && (got & kCancel) == 0 && !limit.stop->unlink(stop)) consume(host, kCancel);
  fiber.signals = fiber.signals & ~unsigned{kTimeout | kCancel};  // their wait is over

  if (received) return WaitStatus::kOk;
  if ((got & kInterrupt) != 0 || (limited && (got & kTimeout) != 0))
    return WaitStatus::kInterrupted;
  return (got & kCancel) != 0 ? WaitStatus::kCancelled : WaitStatus::kTimedOut;
}

// Precondition: `self` is the waiter of the current fiber of `host`, linked on `list`, and
// `list.unlink()` withdraws it or returns false if it is too late. Result kOk: the token was
// received. Every other result: `self` is off the list, and no token will come. The caller cleans
// up and then passes the result to throw_if_interrupted(). `site` is the object of the wait for
// reports.
template <class List>
JOBS_ALWAYS_INLINE WaitStatus park(FiberHost& host, List& list, Waiter& self, WaitLimit limit,
                                   WaitSite site) noexcept {
  FiberCore& fiber = host.current();
  fiber.waits_for = site;
  if (!limit.endless() || fiber.limit != os::kNever)
    return park_cancellable(host, list, self, limit);
  if ((host.suspend(kToken | fiber.interrupts) & kToken) != 0) return WaitStatus::kOk;
  if (list.unlink(self)) return WaitStatus::kInterrupted;
  consume(host, kToken);
  return WaitStatus::kOk;
}

// Waits until `core` is open; its link() fails while it is open. `again()` repeats the call that
// the caller is, on an external thread. It is a call of its own, so that this code is not inlined
// twice.
template <class Core, class Again>
JOBS_ALWAYS_INLINE WaitStatus wait_until_open(Core& core, WaitLimit limit, WaitKind kind,
                                              Again&& again) {
  if (core.is_open()) return WaitStatus::kOk;
  if (limit.deadline == kPoll) return WaitStatus::kTimedOut;
  FiberHost* const host = this_thread().host;
  if (host == nullptr) [[unlikely]]
    return as_external_thread(again);
  host->prepare_wait();
  Waiter self(host->current());
  return core.link(self)
             ? throw_if_interrupted(*host, park(*host, core, self, limit, {kind, &core}))
             : WaitStatus::kOk;
}

}  // namespace jobs::inline JOBS_ABI::detail
