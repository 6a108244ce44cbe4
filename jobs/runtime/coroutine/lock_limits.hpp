// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LockLimits: the deadline and the stop token of a wait of a coroutine that is no selection: for a
// Mutex, a SharedMutex or a notification.
//
// Owner: the frame of the coroutine. pass() runs on the worker that has armed the deadline, or on
// the thread that requests the stop. The worker that runs the coroutine calls the other functions.
//
// States of the waiter between a link and the end of the wait:
//
//             link()              the granter removes it
//   unlinked --------> on a list -------------------------> granted: the granter sends the wake-up
//      ^                   |                                   |
//      |                   | a limit removes it                | overtaken: link() again
//      |                   v                                   |
//      |               withdrawn: pass() sends the wake-up     |
//      '-------------------------------------------------------'
//
// Protocol:
//   step 1  The wait links its waiter, and then calls linked(). The first call arms the deadline
//           and watches the token. Their alternatives form a selection of their own, so at most one
//           limit passes.
//   step 2  The limit that passes sets `is_over_`, and then tries to remove the waiter, under the
//           lock of the list. If the waiter is on the list, the limit records the end of the wait,
//           and sends the wake-up in place of the granter.
//   step 3  A later call of linked() follows a link, too. If `is_over_` is set, it tries to remove
//           the waiter itself. If it succeeds, no wake-up comes, and the wait ends there.
//   step 4  finish() withdraws the limits, and waits for a pass() on another thread. Then the
//           coroutine continues.
//
// Proof.
// - *One wake-up for each link.* The lock of the list decides: the granter, pass() or linked()
//   finds the waiter on the list, and the other parties find it gone and do nothing.
// - *A grant is not lost.* If the granter removes the waiter at the moment of its deadline, the
//   limit fails to remove it, and the wait ends with its lock.
// - *A limit is not lost.* It passes while the waiter is on the list, and removes it; or the
// granter
//   has removed the waiter before. Then the wait ends with the lock, or links its waiter again.
//   That link follows the section of pass() under the lock of the list, so linked() sees
//   `is_over_`.
// - *No access after the end.* A deadline passes on the worker that disarms it in finish(): the
//   deadline pins the wait to that worker. The destructor of the TaskStop waits for a request that
//   runs pass(). Until then the primitive must live: its wait has not returned.
//
// Rejected: the lock as an alternative of the selection. The granter would have to claim each
// waiter of a mutex, and a claim that fails would have to be undone on the path of unlock().
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include "jobs/base/atomic.hpp"
#include "jobs/base/deadline.hpp"
#include "jobs/runtime/coroutine/task_limits.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace lock_limits_order {
JOBS_ORDER(kOver, relaxed);  // the lock of the list orders it: [wait_queue.1]
}  // namespace lock_limits_order

class JOBS_EXPORT LockLimits : private Selection {
 public:
  // `waiter` is that of a wait for `list`, which has a function unlink().
  template <class List>
  LockLimits(List& list, Waiter& waiter, os::Nanoseconds deadline, const std::stop_token& stop)
      : list_(list),
        unlink_([](WaitQueue& queue, Waiter& self) noexcept {
          return static_cast<List&>(queue).unlink(self);
        }),
        waiter_(waiter),
        is_poll_(deadline == kPoll) {
    if (stop.stop_possible()) alternatives_[count_++] = &stop_.emplace(stop);
    if (deadline != os::kNever) alternatives_[count_++] = &timer_.emplace(deadline);
  }

  // For TaskWait::choose(). Null without a deadline.
  TaskPin* pin() noexcept { return timer_ ? &*timer_ : nullptr; }

  // Ends a wait that has not begun, if the deadline makes it a poll. Returns whether it does.
  bool end_poll() noexcept {
    if (is_poll_) has_ended_ = true;
    return is_poll_;
  }

  // After each link of the waiter, before the wait expects its wake-up. Returns true if a limit has
  // ended the wait: the waiter is on no list, and no wake-up comes.
  [[nodiscard]] bool linked() noexcept;

  // After a wake-up. Returns whether a limit has ended the wait.
  bool has_ended() const noexcept { return has_ended_; }

  // Before the coroutine continues. Returns true if the wait has its result, and false if a limit
  // has ended it. No other thread accesses the limits afterwards.
  bool finish() noexcept;

 private:
  class Home;

  // A limit has passed.
  void pass() noexcept;
  // Removes the waiter from its list. Returns false if it was on no list.
  bool withdraw() noexcept;
  std::span<Alternative* const> alternatives() const noexcept {
    return std::span(alternatives_).first(count_);
  }

  WaitQueue& list_;
  bool (*const unlink_)(WaitQueue& list, Waiter& waiter) noexcept;
  Waiter& waiter_;
  std::optional<TaskStop> stop_;
  std::optional<TaskTimer> timer_;
  std::array<Alternative*, 2> alternatives_{};
  std::size_t count_ = 0;
  SelectionLinks links_;
  const bool is_poll_;
  bool is_watched_ = false;  // the limits are linked
  Plain<bool> has_ended_{false};
  // A limit has passed. The waiter may have been on no list then.
  Atomic<bool> is_over_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
