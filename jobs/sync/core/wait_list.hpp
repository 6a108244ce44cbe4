// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `WaitList`, a FIFO of waiters that are linked through themselves; `WakeChain`, waiters
// that are woken together.
//
// Owner: the primitive that contains the list. The class is not thread-safe: its owner guards
// it (wait_queue.hpp). The list is a circle, so one word holds both ends.
#pragma once

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/waiter.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WaitList {
 public:
  bool empty() const noexcept { return head() == nullptr; }
  // Returns null if the list is empty.
  Waiter* front() const noexcept { return head(); }

  void push_back(Waiter& waiter) noexcept {
    if (Waiter* first = head()) {
      insert_before(*first, waiter);
    } else {
      waiter.next = &waiter;
      waiter.previous = &waiter;
      head_ = &waiter;
    }
  }

  void push_front(Waiter& waiter) noexcept {
    push_back(waiter);  // the position before the head is the end of the circle ...
    head_ = &waiter;    // ... until the head moves
  }

  void remove(Waiter& waiter) noexcept {
    Waiter* next = next_of(waiter);
    Waiter* previous = waiter.previous;
    if (next == &waiter) {
      head_ = nullptr;
    } else {
      previous->next = next;
      next->previous = previous;
      if (head() == &waiter) head_ = next;
    }
    waiter.previous = nullptr;
  }

  Waiter* pop_front() noexcept {
    Waiter* first = head();
    if (first != nullptr) remove(*first);
    return first;
  }

  // Removes and returns the first waiter that can be granted; drops the waiters before it. The
  // caller owes the result a wake-up. Returns null if there is none.
  Waiter* pop_claimed() noexcept {
    for (;;) {
      Waiter* first = pop_front();
      if (first == nullptr || claim_waiter(*first)) return first;
    }
  }

  // Empties the list. `next` links the waiters, oldest first; the last link is null.
  Waiter* take_all() noexcept {
    Waiter* first = head();
    if (first == nullptr) return nullptr;
    Waiter* last = first->previous;
    last->next = nullptr;
    head_ = nullptr;
    for (Waiter* waiter = first; waiter != nullptr; waiter = next_of(*waiter))
      waiter->previous = nullptr;
    return first;
  }

  static Waiter* next_of(const Waiter& waiter) noexcept {
    return static_cast<Waiter*>(
        static_cast<Wakeup*>(waiter.next));  // the list contains waiters only
  }

 private:
  Waiter* head() const noexcept { return head_; }

  static void insert_before(Waiter& place, Waiter& waiter) noexcept {
    Waiter* previous = place.previous;
    waiter.next = &place;
    waiter.previous = previous;
    previous->next = &waiter;
    place.previous = &waiter;
  }

  Plain<Waiter*> head_{nullptr};
};

// Wakes the waiters of take_all(), oldest first. The frame of a waiter may be gone as soon as the
// waiter is woken or dropped.
inline void wake_all(Waiter* first) noexcept {
  while (first != nullptr) {
    Waiter* next = WaitList::next_of(*first);
    if (claim_waiter(*first)) wake(*first);
    first = next;
  }
}

// Claimed waiters that have left their list and are woken after its lock is released. `next` alone
// links them, because a waiter reads `previous` after its deadline. It does so under the lock, to
// find out whether it is still on the list.
class WakeChain {
 public:
  // Appends a waiter that is on no list, and that the caller owes a wake-up.
  void push_back(Waiter& waiter) noexcept {
    waiter.next = nullptr;
    if (first_ == nullptr) {
      first_ = &waiter;
    } else {
      last_->next = &waiter;
    }
    last_ = &waiter;
  }
  // Wakes the oldest first. The frame of a waiter may be gone as soon as the waiter is woken.
  void wake() noexcept {
    while (first_ != nullptr) {
      Waiter& waiter = *first_;
      first_ = WaitList::next_of(waiter);
      detail::wake(waiter);
    }
  }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::detail
