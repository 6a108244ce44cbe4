// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParticipantSlots: the worker contexts of external participants. An external participant is an
// external thread inside a loop of its own. Shared owns the object.
//
// Invariants: a thread owns a slot, and so its WorkerContext, from enter() to leave(). After that,
// another external participant may take the slot. The WorkerContext of a slot is created at the
// first use. It lives as long as this object, because thieves may look at it at any time.
#pragma once

#include <array>
#include <memory>

#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ParticipantSlots {
 public:
  // Takes a slot for the calling thread. Returns null if all slots are taken. Throws
  // std::bad_alloc.
  WorkerContext* enter(Shared& shared, Idle& idle);
  // Releases the slot. Only the thread that owns it.
  void leave(const WorkerContext& context) noexcept;

  // Calls visit() with each worker context until it returns true. Returns whether one call returned
  // true. Any thread.
  template <class Visit>
  bool any_of(Visit&& visit) const;

 private:
  static constexpr unsigned kMaxParticipants = 64;

  struct Slot {
    Atomic<bool> taken{false};
    Atomic<WorkerContext*> context{nullptr};
    std::unique_ptr<WorkerContext> owner;
  };

  std::array<Slot, kMaxParticipants> slots_;
  // All slots that have ever been taken have an index below this number.
  Atomic<unsigned> used_{0};
};

namespace participant_order {
// [participant_slots.1] One external participant leaves its worker context to the next one.
JOBS_ORDER(kAcquireSlot, acquire);  // partner: kReleaseSlot
JOBS_ORDER(kReleaseSlot, release);  // partner: kAcquireSlot
// [participant_slots.2] A thief that sees a worker context sees it fully constructed.
JOBS_ORDER(kPublishContext, release);  // partner: kSeeContext
JOBS_ORDER(kSeeContext, acquire);      // partner: kPublishContext
}  // namespace participant_order

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
