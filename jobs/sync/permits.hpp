// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Permits: waiting for something that one waiter takes away. The payload is the number of permits to be had; Mutex has one.
//
// The protocol (proof sketch: README.md). A waiter takes the lock bit only while no permit is there, and permits are added only
// to a word without flags or under the lock bit: so none can appear between a waiter's look and its link.
//
// A released permit is free for all, waiters or not (barging: a running thread that wants it again costs no switch), and the first
// waiter is woken to try, for some microseconds. If it loses it goes back to the front, `urgent`, and the next permit is handed to
// it. So a waiter loses at most once, whatever the load.
#pragma once

#include <cstdint>

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/owner.hpp"
#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace permit_order {
// [P1] What was done before a permit was released is seen by whoever takes it.
JOBS_ORDER(kTake, acquire);     // partners: kRelease, kGive
JOBS_ORDER(kRelease, release);  // partner: kTake
JOBS_ORDER(kGive, release);     // partners: kTake; and list_order::kLock, as it unlocks the list as well
}  // namespace permit_order

class JOBS_EXPORT Permits : public WaitWord {
 public:
  explicit Permits(std::uint64_t count) noexcept : WaitWord(count) {}

  bool try_acquire() noexcept {
    WaitState seen = WaitState::of(1);  // the usual case, without a look
    do {
      if (replace(seen, seen.word - WaitState::kOne, permit_order::kTake, list_order::kGuess)) return true;
    } while (seen.payload() != 0);
    return false;
  }

  // Tries again for some 20 us, with growing pauses, if `owner` runs on another worker: to suspend, and to be woken from there, takes
  // longer than most sections; and many who suspend for a lock pass it on from wake-up to wake-up, which is slower still: with
  // 5 us, sixteen jobs on two workers took 41 ns for a lock, with 20 us 26. post: false: no permit.
  bool try_acquire_patiently(const Owner& owner) noexcept;

  // Suspends the fiber (an external thread: parks it) until it has a permit, or until `until`. `kind`: of what the permits are
  // part; `owner`: its, if it has one.
  Outcome acquire(Until until, WaitKind kind = WaitKind::kSemaphore, const Owner* owner = nullptr);

  // The caller's last touch, unless somebody waits inside acquire().
  void release() noexcept {
    WaitState seen = WaitState::of(0);  // the usual case, without a look
    if (!replace(seen, WaitState::of(1).word, permit_order::kRelease, list_order::kGuess)) release_contended(seen);
  }

  // Releases `count` permits in strict order: each goes to the waiter that came first, and only what is left is free for all. For
  // a source of permits whose every release is made so: then no permit is free while somebody waits. Last touch as above.
  void hand_over(std::uint64_t count) noexcept;

  // --- for waits that come here from elsewhere (notify_list.hpp) ---

  // acquire() with a waiter that may have history.
  Outcome contend(FiberHost& host, Waiter& self, Until until, WaitKind kind, const Owner* owner) noexcept;

  // Puts `waiter` on the list; from then on it is promised a wake-up. post: false: took a permit instead.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;

  // Withdraws the promise. post: false: too late, the wake-up is on its way and must be awaited.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  JOBS_NOINLINE void release_contended(WaitState seen) noexcept;
  void give(WaitState before) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
