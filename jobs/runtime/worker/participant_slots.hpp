// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GuestLanes: the lanes of the external threads that take part in loops of their own, their guests. A thread owns one while it is
// inside; the next guest has it after that. A lane is made at the first use and kept to the end: thieves may look at it any time.
#pragma once

#include <array>
#include <memory>

#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GuestLanes {
 public:
  // For the calling thread; null: all are taken. Throws std::bad_alloc.
  Lane* enter(Shared& shared, Idle& idle);
  // By the thread that has it.
  void leave(const Lane& lane) noexcept;

  // Visits each lane until visit() is true, and returns whether it was. Any thread.
  template <class Visit>
  bool any_of(Visit&& visit) const;

 private:
  static constexpr unsigned kMost = 64;

  struct Slot {
    Atomic<bool> taken{false};
    Atomic<Lane*> lane{nullptr};
    std::unique_ptr<Lane> owner;
  };

  std::array<Slot, kMost> slots_;
  Atomic<unsigned> used_{0};  // slots that were ever taken: those from the first on
};

namespace guest_order {
JOBS_ORDER(kTakeSlot, acquire);  // [S3] a guest's lane goes from one guest to the next; partner: kGiveSlot
JOBS_ORDER(kGiveSlot, release);  // [S3]
JOBS_ORDER(kShowLane, release);  // [S4] the lane is built; partner: kSeeLane
JOBS_ORDER(kSeeLane, acquire);   // [S4]
}  // namespace guest_order

template <class Visit>
bool GuestLanes::any_of(Visit&& visit) const {
  const unsigned used = used_.load(guest_order::kSeeLane);
  for (unsigned i = 0; i < used; ++i) {
    Lane* const lane = slots_[i].lane.load(guest_order::kSeeLane);
    if (lane != nullptr && visit(*lane)) return true;
  }
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
