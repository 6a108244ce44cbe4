// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// NotifyList: waiting to be notified, the core of ConditionVariable. A notified waiter is not woken to fight for the mutex: it
// moves over to the mutex's list (wait morphing) and wakes when it may own it. A deadline acts only until the notification; from
// then on the wait is for the mutex alone.
#pragma once

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/permits.hpp"
#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT NotifyList : public WaitWord {
 public:
  struct Notifiable : Waiter {
    Notifiable(FiberCore& who, Permits& mutex_permits, const Owner& mutex_owner)
        : Waiter(who), permits(mutex_permits), owner(mutex_owner) {}

    Permits& permits;
    const Owner& owner;
    // Guarded by the lock of the NotifyList. `previous` cannot say it: it may belong to the list of the mutex by now.
    Plain<bool> is_here{true};
  };

  NotifyList() noexcept : WaitWord(0) {}

  // A wait is three steps: link() under the mutex, unlock the mutex, await(). So a notification in between finds the waiter.
  void link(Notifiable& waiter) noexcept;
  // post: the caller holds the permit of the mutex again. Anything but kOk: it was not notified.
  Outcome await(FiberHost& host, Notifiable& self, Until until) noexcept;

  // Notifies the waiter that came first, or all. Sees those that were linked before the caller last held their mutex.
  void notify_one() noexcept { notify(false); }
  void notify_all() noexcept { notify(true); }

  // For park(). post: false: already notified.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  void notify(bool all) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
