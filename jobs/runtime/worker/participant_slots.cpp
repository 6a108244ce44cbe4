// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/participant_slots.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

ParticipantContext* ParticipantSlots::enter(Shared& shared, Idle& idle,
                                            const Quiescence& quiescence) {
  using namespace participant_order;
  for (unsigned i = 0; i < kMaxParticipants; ++i) {
    Slot& slot = slots_[i];
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true, kAcquireSlot))
      continue;
    if (slot.destroy == nullptr) {
      ParticipantContext* context = nullptr;
      try {
        context = new ParticipantContext(shared, idle);
      } catch (...) {
        slot.taken.store(false, kReleaseSlot);
        throw;
      }
      slot.destroy = [](WorkerContext& made) { delete static_cast<ParticipantContext*>(&made); };
      slot.context.store(context, kPublishContext);
    }
    unsigned used = used_.load(kUse);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1, kUse, kUse)) {
    }
    if (!quiescence.is_open() && !shared.is_in_blocking_call()) [[unlikely]] {
      slot.taken.store(false, kReleaseSlot);
      return nullptr;
    }
    return static_cast<ParticipantContext*>(slot.context.load(std::memory_order_relaxed));
  }
  return nullptr;
}

unsigned ParticipantSlots::count() const noexcept {
  unsigned count = 0;
  for (const Slot& slot : slots_) count += slot.taken.load(std::memory_order_relaxed) ? 1 : 0;
  return count;
}

void ParticipantSlots::leave(const WorkerContext& context) noexcept {
  for (Slot& slot : slots_) {
    if (slot.context.load(std::memory_order_relaxed) != &context)
      continue;  // Relaxed: no other thread writes the own slot.
    slot.taken.store(false, participant_order::kReleaseSlot);
    return;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
