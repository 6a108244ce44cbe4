// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TeamGate: decides which members of a team may access the loop of their caller, and lets the
// caller wait for them. Internal to PriorityTeam.
//
// Owner: the caller and the members, by references. The owner that releases the last one destroys
// the gate. Each member calls enter(), leave() and release(); it may enter again. The caller calls
// close() once, and then release().
//
// Protocol. `word_` counts the members that may access the loop; one bit says that it is closed.
//
//   member                                        caller
//   step 1: counts itself; if the word was        step 1: runs parts until none is left
//           closed, counts itself down and ends   step 2: closes the word; unless the count
//   step 2: runs parts                                    is 0, joins `ended_` [team.1]
//   step 3: counts itself down [team.1]; the
//           last one of a closed word finishes
//           `ended_`
//
// Proof. All steps act on one word. If step 1 of a member precedes the closing, the caller sees the
// member or its step 3, which releases its effects. Otherwise the member sees the closed word and
// does not access the loop. A late member may finish `ended_` a second time; that has no effect,
// because the team still exists.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace team_order {
JOBS_ORDER(kEnter, relaxed);  // only counts; the queue publishes the loop
// [team.1] the effects of a member, for the last member and the caller; partners: itself, kClose
JOBS_ORDER(kLeave, acq_rel);
JOBS_ORDER(kClose, acquire);  // [team.1] partner: kLeave
// [team.2] all accesses to the gate, for the owner that destroys it; partner: itself
JOBS_ORDER(kRelease, acq_rel);
}  // namespace team_order

class TeamGate {
 public:
  // `owners`: the number of references.
  explicit TeamGate(std::uint32_t owners) noexcept : owners_(owners) {}

  // --- members ---
  // Returns whether the member may access the loop. If so, it calls leave() afterwards.
  bool enter() noexcept {
    if ((word_.fetch_add(1, team_order::kEnter) & kClosed) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept {
    if (word_.fetch_sub(1, team_order::kLeave) == kClosed + 1) ended_.finish();
  }

  // --- caller ---
  // Waits until no member has access. Once.
  void close() noexcept {
    if (word_.fetch_add(kClosed, team_order::kClose) != 0) ended_.join();
  }

  // --- all owners ---
  // Returns true if these are the last references.
  bool release(std::uint32_t references = 1) noexcept {
    return owners_.fetch_sub(references, team_order::kRelease) == references;
  }

 private:
  static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;
  static void run_never(Job&) {}

  Atomic<std::uint32_t> word_{0};
  Atomic<std::uint32_t> owners_;
  Job ended_{&run_never};  // only finish() and join() are used
};

}  // namespace jobs::inline JOBS_ABI::detail
