// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedPermits: one exclusive permit or any number of shared ones, the core of SharedMutex. The payload is the number of shared
// permits that are out, or kExclusive; 0 is free.
//
// Strictly first come, first served, neighbouring readers together: a reader that finds somebody waiting queues up as well, so no
// stream of readers starves a writer; and after a writer all readers up to the next one are let in. Everything is handed over under
// the lock bit: nothing is free while somebody waits. While the lock bit is held the payload may shrink (readers leave), but not to 0,
// since whoever gives up the last hold while others wait needs the lock bit too.
#pragma once

#include <cstdint>

#include "jobs/sync/until.hpp"
#include "jobs/sync/wait_word.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace shared_order {
// [S1] What was done before a permit was given back is seen by whoever takes it. Readers that leave extend the release sequence.
JOBS_ORDER(kTake, acquire);     // partners: kRelease, kGive
JOBS_ORDER(kRelease, release);  // partners: kTake; and list_order::kLock of the last one to leave
JOBS_ORDER(kGive, release);     // partners: kTake; and list_order::kLock, as it unlocks the list as well
}  // namespace shared_order

class JOBS_EXPORT SharedPermits : public WaitWord {
 public:
  enum class Kind : bool { kExclusive, kShared };

  SharedPermits() noexcept : WaitWord(0) {}

  static bool is_exclusive(WaitState state) noexcept { return state.payload() == kExclusive; }

  // post: false: it is held in a way that excludes this, or others wait.
  bool try_acquire(Kind kind) noexcept;

  // Suspends the fiber (an external thread: parks it) until it has a permit, or until `until`.
  Outcome acquire(Kind kind, Until until);

  // The caller's last touch, unless somebody waits inside acquire(). pre: it holds one of that kind.
  void release(Kind kind) noexcept;

  // For park(). Withdraws the promise. post: false: too late, the wake-up is on its way and must be awaited.
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

 private:
  struct Claim : Waiter {
    Claim(FiberCore& who, Kind what) : Waiter(who), kind(what) {}
    const Kind kind;
  };

  // More readers than there can be.
  static constexpr std::uint64_t kExclusive = std::uint64_t{1} << 60;

  static constexpr std::uint64_t units(Kind kind) noexcept { return kind == Kind::kShared ? 1 : kExclusive; }
  static bool admits(WaitState state, Kind kind) noexcept {
    return kind == Kind::kExclusive ? state.payload() == 0 : state.payload() < kExclusive && !state.has_waiters();
  }
  [[nodiscard]] bool link(Claim& claim) noexcept;
  void unlock_and_grant(WaitState before, std::uint64_t given_back) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
