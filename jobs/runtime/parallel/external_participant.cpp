// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ExternalParticipant: takes a participant slot of the current scheduler and returns it, unless the
// thread has one.
#include "jobs/runtime/parallel/external_participant.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

WorkerContext* enter() {
  WorkerContext* const context = this_context();
  if (context == nullptr) return default_shared().enter_participant();
  return context->is_external() ? context : nullptr;
}

}  // namespace

ExternalParticipant::ExternalParticipant()
    : is_inner_(this_context() != nullptr), context_(enter()) {}

ExternalParticipant::~ExternalParticipant() {
  if (context_ != nullptr && !is_inner_) context_->shared().leave_participant(*context_);
}

}  // namespace jobs::inline JOBS_ABI::detail
