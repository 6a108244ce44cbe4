// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `ChannelCore`, the part of Channel<T> that does not depend on T: a lock, the waiting
// parties, and the closed flag.
//
// Owner: the Channel<T> that derives from it. Any thread may call the members.
//
// Invariants:
// - Waiting and arriving parties meet under the lock. An item moves from frame to frame, or through
//   the buffer, and never through a party that has left.
// - All waiting parties are on the same side: a pusher waits only if no popper waits, and vice
//   versa. Therefore one list is enough.
#pragma once

#include <stop_token>

#include "jobs/base/os.hpp"
#include "jobs/sync/core/checked_spin_lock.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/wait_list.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT ChannelCore {
 public:
  ChannelCore(const ChannelCore&) = delete;
  ChannelCore& operator=(const ChannelCore&) = delete;

  void close() noexcept;
  bool is_closed() noexcept;

  // One push or pop, of select() or of a plain call.
  class JOBS_EXPORT Operation : public Alternative {
   public:
    // Returns true if an item has passed. False after the wait means: the deadline has passed, a
    // stop came, or the channel is closed.
    bool done() const noexcept { return done_; }

    bool try_now() override;
    CheckedSpinLock* list_lock() noexcept final { return &core_.lock_; }
    bool link() noexcept final;
    bool unlink_self() noexcept final;
    WaitSite site() const noexcept final { return {WaitKind::kChannel, &core_}; }

    // A plain call: a wait for this party alone, until `deadline` or `stop`.
    void run(os::Nanoseconds deadline, const std::stop_token& stop);
    // For park().
    [[nodiscard]] bool unlink(Waiter&) noexcept { return unlink_self(); }

   protected:
    enum class Side : bool { kPush, kPop };

    Operation(ChannelCore& core, Side side) noexcept : core_(core), side_(side) {}
    ~Operation() = default;

    // Under the lock: removes the first waiter of the other side, grants it and returns it. Returns
    // null if there is none.
    Operation* take_partner() noexcept;

    ChannelCore& core_;
    const Side side_;
    Plain<bool> done_{false};
  };

 protected:
  ChannelCore() noexcept = default;
  ~ChannelCore();

  CheckedSpinLock lock_;
  WaitList operations_;
  Plain<bool> closed_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
