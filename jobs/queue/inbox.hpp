// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inbox: messages from any thread to one thread, the owner, together with the wake-up of the owner.
//
// Threads: any thread may call push() and is_empty(). Only the owner calls drain() and park(). Each
// thread's messages arrive in FIFO order. Messages of different threads arrive in the order of
// their compare-exchanges. The inbox never allocates.
//
// State: one word holds EMPTY, PARKED or the address of the newest node. "The owner sleeps" is a
// value of the list's head. Therefore no window exists between the owner's last check and its
// sleep, and no fence is needed. Only the push that replaces PARKED makes a futex call.
//
// Node has a member `Plain<Node*> next`. The inbox owns this member from push() until drain()
// returns the node.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace inbox_order {
JOBS_ORDER(kPush, release);  // [inbox.1] publishes the node; partner: kDrain
// [inbox.1] partner: kPush of every node in the chain (a release sequence of compare-exchanges)
JOBS_ORDER(kDrain, acquire);
JOBS_ORDER(kPeek, relaxed);  // only selects the next attempt
// PARKED carries no data: the word itself tells the pusher whether to wake the owner.
JOBS_ORDER(kPark, relaxed);
}  // namespace inbox_order

template <class Node>
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Sends a node. Any thread. It is the caller's last access to the node and to the inbox: the
  // owner may destroy both before push() returns.
  void push(Node& node) noexcept {
    static_assert(alignof(Node) > kParked, "an address must differ from the marks");
    const Atomic<std::uintptr_t>* bell = &head_;
    std::uintptr_t head = head_.load(inbox_order::kPeek);
    do {
      node.next = head == kParked ? nullptr : reinterpret_cast<Node*>(head);
    } while (!head_.compare_exchange_weak(head, reinterpret_cast<std::uintptr_t>(&node),
                                          inbox_order::kPush, inbox_order::kPeek));
    chaos::inject_delay();
    if (head == kParked) os::futex_wake(bell);
  }

  // Removes all nodes. Owner only. Returns them oldest first, linked by `next`; null if the inbox
  // is empty.
  Node* drain() noexcept {
    if (is_empty()) return nullptr;
    chaos::inject_delay();
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

  // Blocks until the inbox is not empty; returns at once if it is not. Owner only. Returns false if
  // the deadline passed and no message arrived.
  bool park(os::Nanoseconds deadline) noexcept {
    std::uintptr_t head = kEmpty;
    if (!head_.compare_exchange_strong(head, kParked, inbox_order::kPark, inbox_order::kPeek))
      return true;
    while (os::futex_wait(head_, kParked, deadline)) {
      // The wake-up may be meant for an earlier owner of this address.
      if (head_.load(inbox_order::kPeek) != kParked) return true;
    }
    // A push may still arrive between the timeout and this exchange.
    head = kParked;
    return !head_.compare_exchange_strong(head, kEmpty, inbox_order::kPark, inbox_order::kPeek);
  }

  // Any thread; the result may be outdated at once. A caller that must not miss a push has its own
  // fence (idle protocol).
  bool is_empty() const noexcept { return head_.load(inbox_order::kPeek) <= kParked; }

 private:
  static constexpr std::uintptr_t kEmpty = 0;
  // Empty, and the owner sleeps or is about to; only inside park().
  static constexpr std::uintptr_t kParked = 1;

  alignas(kDestructiveDistance) Atomic<std::uintptr_t> head_{kEmpty};
};

}  // namespace jobs::inline JOBS_ABI::detail
