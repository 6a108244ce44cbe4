// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/participant_slots.hpp"

namespace jobs::inline JOBS_ABI::detail {

Lane* GuestLanes::enter(Shared& shared, Idle& idle) {
  using namespace guest_order;
  for (unsigned i = 0; i < kMost; ++i) {
    Slot& slot = slots_[i];
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true, kTakeSlot)) continue;
    if (!slot.owner) {
      try {
        slot.owner = std::make_unique<Lane>(shared, idle, nullptr, true);
      } catch (...) {
        slot.taken.store(false, kGiveSlot);
        throw;
      }
      slot.lane.store(slot.owner.get(), kShowLane);
    }
    unsigned used = used_.load(std::memory_order_relaxed);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1, kShowLane, std::memory_order_relaxed)) {
    }
    return slot.owner.get();
  }
  return nullptr;
}

void GuestLanes::leave(const Lane& lane) noexcept {
  for (Slot& slot : slots_) {
    if (slot.lane.load(std::memory_order_relaxed) != &lane) continue;  // Relaxed: no other thread writes the own slot.
    slot.taken.store(false, guest_order::kGiveSlot);
    return;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
