// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GuestLanes: the worker contexts of external participants. An external participant is an external
// thread inside a loop of its own. Shared owns the object.
//
// Invariants: a thread owns a slot, and so its Lane, from enter() to leave(). After that, another
// external participant may take the slot. The Lane of a slot is created at the first use. It lives
// as long as this object, because thieves may look at it at any time.
#pragma once

#include <array>
#include <memory>

#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GuestLanes {
 public:
  // Takes a slot for the calling thread. Returns null if all slots are taken. Throws
  // std::bad_alloc.
  Lane* enter(Shared& shared, Idle& idle);
  // Releases the slot. Only the thread that owns it.
  void leave(const Lane& lane) noexcept;

  // Calls visit() with each worker context until it returns true. Returns whether one call returned
  // true. Any thread.
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
  // All slots that have ever been taken have an index below this number.
  Atomic<unsigned> used_{0};
};

namespace guest_order {
// [participant_slots.1] One external participant leaves its worker context to the next one.
JOBS_ORDER(kTakeSlot, acquire);  // partner: kGiveSlot
JOBS_ORDER(kGiveSlot, release);  // partner: kTakeSlot
// [participant_slots.2] A thief that sees a worker context sees it fully constructed.
JOBS_ORDER(kShowLane, release);  // partner: kSeeLane
JOBS_ORDER(kSeeLane, acquire);   // partner: kShowLane
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
