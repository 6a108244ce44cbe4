// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ExternalParticipant: takes a participant slot of the current scheduler and returns it.
#include "jobs/runtime/parallel/external_participant.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

ExternalParticipant::ExternalParticipant() : context_(default_shared().enter_participant()) {}

ExternalParticipant::~ExternalParticipant() {
  if (context_ != nullptr) context_->shared().leave_participant(*context_);
}

}  // namespace jobs::inline JOBS_ABI::detail
