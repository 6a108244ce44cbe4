// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParticipantSlots: the worker contexts of external participants. An external participant is an
// external thread inside a loop, graph or pipeline of its own. Shared owns the object.
//
// Invariants: a thread owns a slot, and so its WorkerContext, from enter() to leave(). After that,
// another external participant may take the slot. The WorkerContext of a slot is created at the
// first use. It lives as long as this object, because thieves may look at it at any time.
#pragma once

#include <array>

#include "jobs/runtime/worker/participant_context.hpp"
#include "jobs/runtime/worker/quiescence.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ParticipantSlots {
 public:
  ParticipantSlots() = default;
  ~ParticipantSlots() {
    for (Slot& slot : slots_) {
      if (slot.destroy != nullptr) slot.destroy(*slot.context.load(std::memory_order_relaxed));
    }
  }
  ParticipantSlots(const ParticipantSlots&) = delete;
  ParticipantSlots& operator=(const ParticipantSlots&) = delete;

  // Takes a slot for the calling thread. Returns null if all slots are taken, or if `quiescence` is
  // not open and the thread runs no blocking call of the scheduler. Throws std::bad_alloc.
  ParticipantContext* enter(Shared& shared, Idle& idle, const Quiescence& quiescence);
  // Releases the slot, as the last access to this object. Only the thread that owns the slot.
  void leave(const WorkerContext& context) noexcept;
  // Returns whether `count` slots are taken, or more. Any thread.
  bool has_taken(unsigned count) const noexcept;
  // Returns the number of taken slots, for reports. Any thread.
  JOBS_EXPORT unsigned count() const noexcept;
  // Returns whether a slot has ever been taken. Any thread.
  bool any() const noexcept { return used_.load(std::memory_order_relaxed) != 0; }
  // Calls visit() with each worker context until it returns true. Returns whether one call returned
  // true. Any thread.
  template <class Visit>
  bool any_of(Visit&& visit) const;

 private:
#if defined(JOBS_MODEL)
  static constexpr unsigned kMaxParticipants = 2;  // A model has few atomics.
#else
  static constexpr unsigned kMaxParticipants = 64;
#endif

  struct Slot {
    Atomic<bool> taken{false};
    Atomic<WorkerContext*> context{nullptr};
    // Deletes the context. A pointer, so that programs without participants do not contain them.
    void (*destroy)(WorkerContext& context) = nullptr;
  };

  std::array<Slot, kMaxParticipants> slots_;
  // All slots that have ever been taken have an index below this number.
  Atomic<unsigned> used_{0};
};

namespace participant_order {
// [participant_slots.1] One external participant leaves its worker context to the next one, and its
// effects to the shutdown. [quiescence.1] It takes a slot, then loads the state. A shutdown stores
// the state, then loads the slots. So a late participant is refused, or the shutdown waits for it.
JOBS_ORDER(kAcquireSlot, seq_cst);  // partners: kReleaseSlot, quiescence_order::kDrain
JOBS_ORDER(kReleaseSlot, release);  // partner: kAcquireSlot
// As kAcquireSlot, for the number of slots to look at. A participant that reads a number which
// another one has written loads the state after it, too.
JOBS_ORDER(kUse, seq_cst);  // partners: itself, quiescence_order::kDrain
// [participant_slots.2] A thief that sees a worker context sees it fully constructed.
JOBS_ORDER(kPublishContext, release);  // partner: kSeeContext
JOBS_ORDER(kSeeContext, acquire);      // partner: kPublishContext
}  // namespace participant_order

JOBS_ALWAYS_INLINE bool ParticipantSlots::has_taken(unsigned count) const noexcept {
  const unsigned used = used_.load(participant_order::kUse);
  for (unsigned i = 0; i < used && count != 0; ++i) {
    if (slots_[i].taken.load(participant_order::kAcquireSlot)) --count;
  }
  return count == 0;
}

template <class Visit>
bool ParticipantSlots::any_of(Visit&& visit) const {
  const unsigned used = used_.load(participant_order::kSeeContext);
  for (unsigned i = 0; i < used; ++i) {
    WorkerContext* const context = slots_[i].context.load(participant_order::kSeeContext);
    if (context != nullptr && visit(*context)) return true;
  }
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
