// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChannelCore: what Channel<T> is whatever T may be: a lock, the parties that wait, and whether it is closed. Who waits and who comes
// meet under the lock: an item goes from frame to frame, or through the buffer, and never through a party that has left.
//
// All who wait want the same: one who would push waits only if nobody wants to pop, and the other way round. So one list is enough.
#pragma once

#include <stop_token>

#include "jobs/base/os.hpp"
#include "jobs/sync/selection.hpp"
#include "jobs/sync/spin_lock.hpp"
#include "jobs/sync/wait_list.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT ChannelCore {
 public:
  ChannelCore(const ChannelCore&) = delete;
  ChannelCore& operator=(const ChannelCore&) = delete;

  void close() noexcept;
  bool is_closed() noexcept;

  // One push or pop, of select() or of a plain call.
  class JOBS_EXPORT Party : public Alternative {
   public:
    // An item has gone through. False after the wait: it was late, stopped, or the channel is closed.
    bool done() const noexcept { return done_; }

    bool try_now() override;
    jobs::SpinLock* list_lock() noexcept final { return &core_.lock_; }
    bool link() noexcept final;
    bool unlink_self() noexcept final;

    // A plain call: a wait for this alone. `deadline`, `stop`: as everywhere.
    void run(os::Nanoseconds deadline, const std::stop_token& stop);
    // For park().
    [[nodiscard]] bool unlink(Waiter&) noexcept { return unlink_self(); }

   protected:
    enum class Side : bool { kPush, kPop };

    Party(ChannelCore& core, Side side) noexcept : core_(core), side_(side) {}
    ~Party() = default;

    // Under the lock: the first who waits on the other side, taken off the list and granted. Null if there is none.
    Party* take_partner() noexcept;

    ChannelCore& core_;
    const Side side_;
    Plain<bool> done_{false};
  };

 protected:
  ChannelCore() noexcept = default;
  ~ChannelCore();

  jobs::SpinLock lock_;
  WaitList parties_;
  Plain<bool> closed_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
