// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Notice: a message that notifies the owner of an inbox of a change, and lies in the inbox at most
// once. Any thread may post it at any time. The owner that receives it sees the changes of all
// posting threads, including each thread that found the message in the inbox.
//
// Internal to the runtime. Each worker owns one, for the number of workers that the machine allows.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/queue/inbox.hpp"
#include "jobs/runtime/parking/message_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace notice_order {
// [coalesced_message.1] The change precedes the post, and the node is free again. Partner: kHear.
JOBS_ORDER(kPost, acq_rel);
// [coalesced_message.1] The owner sees the changes, and has read the node. Partner: kPost.
JOBS_ORDER(kHear, acq_rel);
}  // namespace notice_order

class Notice {
 public:
  // Posts the message unless it is in the inbox already. Any thread, after the change.
  void post(Inbox<Wakeup>& inbox) noexcept {
    if (under_way_.exchange(true, notice_order::kPost)) return;
    chaos::point();
    inbox.push(message_);
  }

  // --- owner ---
  // Returns true if `message` is this one.
  bool is(const Wakeup* message) const noexcept { return message == &message_; }
  // Receives the message. After the call, the owner may read the changes.
  // pre: the owner has drained the message and read its link.
  void hear() noexcept { under_way_.exchange(false, notice_order::kHear); }

 private:
  Atomic<bool> under_way_{false};
  Wakeup message_{nullptr, MessageQueue::kInspect};
};

}  // namespace jobs::inline JOBS_ABI::detail
