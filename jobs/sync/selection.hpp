// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Selection: one fiber that waits for several things and is granted exactly one of them. It has a waiter on the list of each (an
// Alternative); whoever is about to grant one claims the selection first, by one compare-exchange.
//
// What loses the claim is dropped: off its list, nothing granted, no wake-up. The granter says so as its last touch, since the list
// of an open gate is emptied without its lock; so each alternative is withdrawn, granted or dropped before its frame dies.
#pragma once

#include "jobs/sync/waiter.hpp"

namespace jobs::inline JOBS_ABI {
class SpinLock;
}

namespace jobs::inline JOBS_ABI::detail {

namespace selection_order {
JOBS_ORDER(kClaim, relaxed);  // elects; what is granted travels with the wake-up
// [A1] The granter that lost has read the alternative for the last time.
JOBS_ORDER(kDrop, release);       // partner: kIsDropped
JOBS_ORDER(kIsDropped, acquire);  // partner: kDrop
}  // namespace selection_order

struct Selection {
  Atomic<const Waiter*> winner{nullptr};
  Waiter none{nullptr};  // the winner if the wait was late or cancelled

  bool claim(const Waiter& who) noexcept {
    const Waiter* nobody = nullptr;
    return winner.compare_exchange_strong(nobody, &who, selection_order::kClaim, selection_order::kClaim);
  }

  // For park(). post: false: one is granted, its wake-up must be awaited.
  [[nodiscard]] bool unlink(Waiter& self) noexcept { return claim(self); }
};

// One thing to wait for. Made by the primitive that it is about; used once, by select().
class Alternative : public Waiter {
 public:
  Alternative(const Alternative&) = delete;
  Alternative& operator=(const Alternative&) = delete;

  // Does it if that can be done at once.
  virtual bool try_now() = 0;

  // The lock that its list needs. Two selections may meet on a list, and then both are to be decided in one step: so select() takes
  // all these locks before it looks for partners or links anything. Null: granted by a claim alone.
  virtual jobs::SpinLock* list_lock() noexcept { return nullptr; }

  // try_now() under list_lock(). post: `partner`, if set, is to be woken after the lock has been released.
  virtual bool try_locked(Waiter*& partner) noexcept { return partner != nullptr; }

  // Puts it on its list, under list_lock(): from then on a wake-up is promised, unless the claim fails. post: false (only without a
  // list_lock): the selection is decided: this alternative has won and is done, or another one's wake-up is on its way.
  [[nodiscard]] virtual bool link() noexcept = 0;

  // Takes the promise back. post: false: too late, it is granted or being dropped.
  [[nodiscard]] virtual bool unlink_self() noexcept = 0;

  Atomic<bool> dropped{false};

 protected:
  Alternative() : Waiter(nullptr) {}
  ~Alternative() = default;
};

// Of a waiter that the caller has taken off its list: true: the caller owes it a wake-up. Otherwise it was the last touch.
inline bool grant(Waiter& waiter) noexcept {
  Selection* const selection = waiter.selection;
  if (selection == nullptr || selection->claim(waiter)) return true;
  static_cast<Alternative&>(waiter).dropped.store(true, selection_order::kDrop);
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
