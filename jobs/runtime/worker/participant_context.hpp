// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParticipantContext: the worker context of an external participant, and what the participant does
// while it waits. ParticipantSlots owns it.
//
// The participant runs jobs on which its wait depends, and no others (Lineage). It holds a seat
// while it computes or spins, and returns the seat while it is parked (Idle).
//
// Threads: only the participant calls the functions.
#pragma once

#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ParticipantContext final : public WorkerContext, public HeapObject<ParticipantContext> {
 public:
  ParticipantContext(Shared& shared, Idle& idle)
      : WorkerContext(shared, idle, nullptr, true, os::kAnyNode, &kActions) {
    refuse_spawned();
  }

 private:
  static const ParticipantActions kActions;

  bool help(const void* awaited) noexcept;
  void hold_seat(bool held) noexcept;
  Job* steal_for(const void* awaited, bool& is_requested) noexcept;

  // No theft before this time, because the last ones were not worth their cost.
  os::Nanoseconds next_theft_ = 0;
  os::Nanoseconds pause_ = 0;
  // The time since which a request for private jobs has been pending; 0: none is pending.
  os::Nanoseconds requested_at_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
