// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoalescedMessage: a message that notifies the owner of an inbox of a change, and lies in the
// inbox at most once. Any thread may post it at any time. The owner that receives it sees the
// changes of all posting threads, including each thread that found the message in the inbox.
//
// Internal to the runtime. Each worker owns one, for the number of workers that the machine allows.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/queue/inbox.hpp"
#include "jobs/runtime/parking/message_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace coalesced_message_order {
// [coalesced_message.1] The change precedes the post, and the node is free again. Partner:
// kReceive.
JOBS_ORDER(kPost, acq_rel);
// [coalesced_message.1] The owner sees the changes, and has read the node. Partner: kPost.
JOBS_ORDER(kReceive, acq_rel);
}  // namespace coalesced_message_order

class CoalescedMessage {
 public:
  // Posts the message unless it is in the inbox already. Any thread, after the change.
  void post(Inbox<Wakeup>& inbox) noexcept {
    if (pending_.exchange(true, coalesced_message_order::kPost)) return;
    chaos::inject_delay();
    inbox.push(message_);
  }

  // --- owner ---
  // Returns true if `message` is this one.
  bool is(const Wakeup* message) const noexcept { return message == &message_; }
  // Receives the message. After the call, the owner may read the changes.
  // pre: the owner has drained the message and read its link.
  void receive() noexcept { pending_.exchange(false, coalesced_message_order::kReceive); }

 private:
  Atomic<bool> pending_{false};
  Wakeup message_{nullptr, MessageQueue::kRequest};
};

}  // namespace jobs::inline JOBS_ABI::detail
