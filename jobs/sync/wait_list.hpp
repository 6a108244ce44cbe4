// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitList: a FIFO of waiters, linked through the waiters themselves. A circle, so that one word is enough for both ends. Not
// thread-safe: the owner of the list guards it (wait_word.hpp).
#pragma once

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/selection.hpp"
#include "jobs/sync/waiter.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WaitList {
 public:
  bool empty() const noexcept { return head() == nullptr; }
  // Null if empty.
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
    push_back(waiter);  // the place before the head is the end of the circle ...
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

  // The first waiter that is to be granted; those before it are dropped. The caller owes it a wake-up. Null if there is none.
  Waiter* pop_granted() noexcept {
    for (;;) {
      Waiter* first = pop_front();
      if (first == nullptr || grant(*first)) return first;
    }
  }

  // Empties the list. The waiters hang together by `next`, oldest first, the last one's is null.
  Waiter* take_all() noexcept {
    Waiter* first = head();
    if (first == nullptr) return nullptr;
    Waiter* last = first->previous;
    last->next = nullptr;
    head_ = nullptr;
    for (Waiter* waiter = first; waiter != nullptr; waiter = next_of(*waiter)) waiter->previous = nullptr;
    return first;
  }

  static Waiter* next_of(const Waiter& waiter) noexcept {
    return static_cast<Waiter*>(static_cast<Wakeup*>(waiter.next));  // only waiters are ever linked here
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

// Wakes what take_all() returned, oldest first. Each waiter's frame may be gone as soon as it is woken or dropped.
inline void wake_all(Waiter* first) noexcept {
  while (first != nullptr) {
    Waiter* next = WaitList::next_of(*first);
    if (grant(*first)) wake(*first);
    first = next;
  }
}

// Several waiters that are off their list, to be woken once its lock is released. They hang together by `next` alone: a waiter that is
// late looks at `previous`, under the lock, to learn whether it is on the list still.
class WakeChain {
 public:
  // In order. pre: off its list.
  void push_back(Waiter& waiter) noexcept {
    waiter.next = nullptr;
    if (first_ == nullptr) {
      first_ = &waiter;
    } else {
      last_->next = &waiter;
    }
    last_ = &waiter;
  }
  void wake() noexcept { wake_all(first_); }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::detail
