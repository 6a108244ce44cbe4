// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `CountdownCore`, a wait for a count to reach zero: the core of Counter and Latch.
//
// Owner: the primitive that contains it. Any thread may call any member; link() and unlink()
// are for the thread of the waiter.
//
// State: the payload is the count. The core is open at 0 and closed above 0. A wait passes as soon
// as the core is open.
//
// Invariant: a thread takes the lock bit only while the core is closed. The count may change in one
// step at any time, also while the lock bit is set.
//
// Protocol (proof: README.md): the step that opens the core replaces a word, and the flags of that
// word decide which thread wakes the waiters.
// step 1: No flag. No fiber waits. The step is the opener's last access, and the core may be
//         destroyed at once.
// step 2: Locked. The owner of the lock bit is inside link() or unlink(). It finds the core open
//         when it unlocks, and takes the list over. The step is the opener's last access, too.
// step 3: Waiters, not locked. The list belongs to the opener: no thread can lock an open core. A
//         waiter that finds the core open after its deadline stays for its wake-up.
#pragma once

#include <cstdint>

#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/wait_limit.hpp"
#include "jobs/sync/core/wait_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace countdown_order {
// [countdown.1] A waiter that passes, and the opener that takes the list, see the effects that
// precede the opening.
JOBS_ORDER(kOpen, acq_rel);  // partners: kLook, kLink, kUnlock; kOpen of a later opener
JOBS_ORDER(kLook, acquire);  // partner: kOpen
// [countdown.2] The list as the last owner of the lock bit left it; and [countdown.1] if the core
// has opened.
JOBS_ORDER(kLink, acquire);    // partners: kUnlock, kClear, kOpen
JOBS_ORDER(kUnlock, acq_rel);  // release to kLink and kOpen: the list; acquire from kOpen: as kLook
// [countdown.3] The opener has emptied the list before another thread uses it.
JOBS_ORDER(kClear, release);  // partner: kLink
// Publishes nothing: the data of a job travel with the job.
JOBS_ORDER(kAdd, relaxed);
}  // namespace countdown_order

class JOBS_EXPORT CountdownCore : public WaitQueue {
 public:
  explicit CountdownCore(std::uint64_t count) noexcept : WaitQueue(count) {}

  // For the destructor: returns whether no job is outstanding and no fiber waits. The effects of
  // all jobs are visible then, also if the caller has not waited.
  bool is_unused() const noexcept { return word_.load(countdown_order::kLook) == 0; }

  bool is_open() const noexcept {
    return WaitState{word_.load(countdown_order::kLook)}.payload() == 0;
  }

  // A thread that sees a count sees the effects that precede the steps that led to it.
  WaitState look() const noexcept { return {word_.load(countdown_order::kLook)}; }
  // Adds `count` in one step if the payload is greater than `most`; otherwise returns false.
  [[nodiscard]] bool add_above(std::uint64_t most, std::uint64_t count) noexcept {
    for (WaitState before = look(); before.payload() > most; before = look()) {
      if (replace(before, before.word + WaitState::of(count).word, countdown_order::kAdd,
                  countdown_order::kAdd))
        return true;
    }
    return false;
  }

  // Both functions return the state before, for checks by the caller.
  WaitState add(std::uint64_t count) noexcept {
    return {word_.fetch_add(WaitState::of(count).word, countdown_order::kAdd)};
  }
  // If the payload was `count`, the core is open, and the caller must pass the result to opened().
  // Otherwise, and if opened() has nothing to do, this step was the last access.
  WaitState subtract(std::uint64_t count) noexcept {
    return {word_.fetch_sub(WaitState::of(count).word, countdown_order::kOpen)};
  }
  void opened(WaitState before) noexcept {
    if (before.flags() == WaitState::kWaiters) release_all();
  }

  // Suspends the fiber (parks an external thread) until the core is open, or until the limit
  // `limit`. `kind` names the primitive for reports.
  WaitStatus wait(WaitLimit limit, WaitKind kind = WaitKind::kCounter);

  // Puts `waiter` on the list and promises it a wake-up. Returns false if the core is open; then
  // nothing is promised.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. Returns false if it is too late: the wake-up is on its way, and the
  // caller must consume it.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  void release_all() noexcept;
};

// An alternative of a selection: the core is open. `kind` names the primitive for reports.
class JOBS_EXPORT OnZero : public Alternative {
 public:
  OnZero(CountdownCore& core, WaitKind kind) noexcept : core_(core), kind_(kind) {}

  bool try_now() noexcept override;
  bool link() noexcept override;
  bool unlink_self() noexcept override { return core_.unlink(*this); }
  WaitSite site() const noexcept override { return {kind_, &core_}; }

 private:
  CountdownCore& core_;
  const WaitKind kind_;
};

}  // namespace jobs::inline JOBS_ABI::detail
