// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Notice: tells the owner of an inbox that something has changed which it should look at. Many may post it, as often as they like; it
// lies in the inbox once at most. Whoever hears it sees the changes of all who have posted it, also of those that found it under way.
// Internal to the runtime: a worker has one for the number of workers that the machine grants.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/queue/inbox.hpp"
#include "jobs/runtime/parking/message_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace notice_order {
JOBS_ORDER(kPost, acq_rel);  // [S7] the change came before, and the node is free again; partner: kHear
JOBS_ORDER(kHear, acq_rel);  // [S7] the changes are seen, and the node is no longer looked at; partner: kPost
}  // namespace notice_order

class Notice {
 public:
  // Any thread, after the change.
  void post(Inbox<Wakeup>& inbox) noexcept {
    if (under_way_.exchange(true, notice_order::kPost)) return;
    chaos::point();
    inbox.push(message_);
  }

  // --- owner ---
  // Whether this is what has come.
  bool is(const Wakeup* message) const noexcept { return message == &message_; }
  // It has come, and its link has been read. What has changed may be looked at now.
  void hear() noexcept { under_way_.exchange(false, notice_order::kHear); }

 private:
  Atomic<bool> under_way_{false};
  Wakeup message_{nullptr, MessageQueue::kInspect};
};

}  // namespace jobs::inline JOBS_ABI::detail
