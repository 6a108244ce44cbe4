// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inbox: what other threads send to one thread, and the bell that wakes it. Many may push(), only the owner may drain()
// and park(). One word holds both: the newest node, or EMPTY, or PARKED. That the owner sleeps is a value of the list's
// head, so there is no window between "nothing came" and "I sleep", no fence, and exactly the push that replaces PARKED
// makes a futex call. FIFO for each pusher; pushes of different threads come in the order of their compare-exchanges.
//
// Node: has `Plain<Node*> next`, which the inbox owns from push() until drain() hands it out. Never allocates.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace inbox_order {
JOBS_ORDER(kPush, release);  // [I1] publishes the node; partner: kDrain
JOBS_ORDER(kDrain,
           acquire);         // [I1] partner: kPush of every node in the chain (a release sequence of compare-exchanges)
JOBS_ORDER(kPeek, relaxed);  // decides only what to try next
JOBS_ORDER(kPark, relaxed);  // PARKED carries no data: the word itself says who rings
}  // namespace inbox_order

template <class Node>
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Any thread. The caller's last touch of the node, and of the inbox: both may be gone before this returns.
  void push(Node& node) noexcept {
    static_assert(alignof(Node) > kParked, "an address must differ from the marks");
    const Atomic<std::uintptr_t>* bell = &head_;
    std::uintptr_t head = head_.load(inbox_order::kPeek);
    do {
      node.next = head == kParked ? nullptr : reinterpret_cast<Node*>(head);
    } while (!head_.compare_exchange_weak(head, reinterpret_cast<std::uintptr_t>(&node), inbox_order::kPush,
                                          inbox_order::kPeek));
    chaos::point();
    if (head == kParked) os::futex_wake(bell);
  }

  // Owner. All that has come, oldest first, linked by `next`; null if nothing.
  Node* drain() noexcept {
    if (is_empty()) return nullptr;
    chaos::point();
    Node* node = reinterpret_cast<Node*>(head_.exchange(kEmpty, inbox_order::kDrain));
    Node* oldest = nullptr;
    while (node != nullptr) {
      Node* older = node->next;
      node->next = oldest;
      oldest = node;
      node = older;
    }
    return oldest;
  }

  // Owner. Sleeps until something is in the inbox; at once if something is. False: nothing came before the deadline.
  bool park(os::Nanoseconds deadline) noexcept {
    std::uintptr_t head = kEmpty;
    if (!head_.compare_exchange_strong(head, kParked, inbox_order::kPark, inbox_order::kPeek)) return true;
    while (os::futex_wait(head_, kParked, deadline)) {
      // A ring may be meant for an earlier owner of this address.
      if (head_.load(inbox_order::kPeek) != kParked) return true;
    }
    // A push may still come between the timeout and this.
    head = kParked;
    return !head_.compare_exchange_strong(head, kEmpty, inbox_order::kPark, inbox_order::kPeek);
  }

  // Any thread; may be wrong the next moment. Whoever needs to see a push has a fence of its own (idle protocol).
  bool is_empty() const noexcept { return head_.load(inbox_order::kPeek) <= kParked; }

 private:
  static constexpr std::uintptr_t kEmpty = 0;
  static constexpr std::uintptr_t kParked = 1;  // empty, and the owner sleeps or is about to; only inside park()

  alignas(kDestructiveDistance) Atomic<std::uintptr_t> head_{kEmpty};
};

}  // namespace jobs::inline JOBS_ABI::detail
