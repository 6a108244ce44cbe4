// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `Selection`, the wait of one fiber for several alternatives, of which exactly one is
// granted; `Alternative`, one of them; the steps of select(), which waits between them with a
// fiber, and of TaskWait, which waits with a coroutine.
//
// Owner: the frame of select(). Any thread may grant an alternative; the remaining members are
// for the thread of select().
//
// State: a waiter on the list of each alternative, and the word `winner`.
//
// Protocol (proof: README.md):
// step 1: A granter removes an alternative from its list, and claims the selection by one
//         compare-exchange of `winner`.
// step 2: The granter that wins the claim sends the wake-up.
// step 3: A granter that loses the claim drops the alternative: nothing is granted, and no wake-up
//         is sent. It sets `dropped` as its last access, because the list of an open event core is
//         emptied without its lock.
//
// Therefore each alternative is withdrawn, granted or dropped before its frame dies.
#pragma once

#include <cstddef>
#include <span>

#include "jobs/fiber/wait_site.hpp"
#include "jobs/sync/core/waiter.hpp"

namespace jobs::inline JOBS_ABI::detail {

class CheckedSpinLock;

namespace selection_order {
JOBS_ORDER(kClaim, relaxed);  // elects; the result of the grant travels with the wake-up
// [selection.1] The granter that lost the claim has read the alternative for the last time.
JOBS_ORDER(kDrop, release);       // partner: kIsDropped
JOBS_ORDER(kIsDropped, acquire);  // partner: kDrop
}  // namespace selection_order

struct Selection {
  Atomic<const Waiter*> winner{nullptr};
  // The winner after a deadline, a stop or an interrupt.
  Waiter none{nullptr};

  bool claim(const Waiter& waiter) noexcept {
    const Waiter* unclaimed = nullptr;
    return winner.compare_exchange_strong(unclaimed, &waiter, selection_order::kClaim,
                                          selection_order::kClaim);
  }

  // For park(). Returns false if an alternative is granted: its wake-up must be consumed.
  [[nodiscard]] bool unlink(Waiter& self) noexcept { return claim(self); }
};

// One alternative of a selection. The primitive of the alternative makes it; select() uses it once.
class Alternative : public Waiter {
 public:
  Alternative(const Alternative&) = delete;
  Alternative& operator=(const Alternative&) = delete;

  // Completes the alternative if that is possible at once.
  virtual bool try_now() = 0;

  // Returns the lock of its list. Two selections may meet on a list, and then one step must decide
  // both: select() takes all these locks before it searches for partners or links anything. Null: a
  // claim alone grants the alternative.
  virtual CheckedSpinLock* list_lock() noexcept { return nullptr; }

  // try_now() under list_lock(). If `partner` is set afterwards, the caller wakes it after it has
  // released the lock.
  virtual bool try_locked(Waiter*& partner) noexcept { return partner != nullptr; }

  // Puts the alternative on its list, under list_lock(), and promises a wake-up, unless the claim
  // fails. Returns false, only without a list_lock(), if the selection is decided: this alternative
  // has won and is complete, or the wake-up of another one is on its way.
  [[nodiscard]] virtual bool link() noexcept = 0;

  // Withdraws the promise. Returns false if it is too late: the alternative is granted or being
  // dropped.
  [[nodiscard]] virtual bool unlink_self() noexcept = 0;

  // The object of the wait, for reports of tasks.
  virtual WaitSite site() const noexcept { return {}; }

  Atomic<bool> dropped{false};

 protected:
  Alternative() : Waiter(nullptr) {}
  ~Alternative() = default;
};

// Precondition: the caller has removed the waiter from its list. Returns true if the caller owes it
// a wake-up; otherwise this call was the last access.
inline bool claim_waiter(Waiter& waiter) noexcept {
  Selection* const selection = waiter.selection;
  if (selection == nullptr || selection->claim(waiter)) return true;
  static_cast<Alternative&>(waiter).dropped.store(true, selection_order::kDrop);
  return false;
}

// What link_alternatives() has done.
struct SelectionLinks {
  // Complete, and nothing is linked. Null: alternatives are linked.
  Alternative* done = nullptr;
  // Its link() has found the selection decided. Null: all alternatives are linked.
  Alternative* undecided = nullptr;
  std::size_t considered = 0;  // the number of alternatives whose link() was called
};

// Completes the first alternative that is ready, and returns it; null if none is ready.
JOBS_EXPORT Alternative* try_alternatives(std::span<Alternative* const> alternatives);

// Links the alternatives to their lists; the wake-up goes to `fiber`. It is on its way, or will be
// sent, unless an alternative is `done`, or `undecided` and the winner of the selection.
JOBS_EXPORT SelectionLinks link_alternatives(std::span<Alternative* const> alternatives,
                                             Selection& selection, FiberCore& fiber) noexcept;

// Withdraws all linked alternatives but the winner, and returns the winner; null if there is none.
// After the call no other thread accesses the alternatives. pre: the selection is decided, and its
// wake-up was consumed.
JOBS_EXPORT Alternative* settle_alternatives(std::span<Alternative* const> alternatives,
                                             const Selection& selection,
                                             const SelectionLinks& links) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
