// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GuestScope: takes a participant slot of the default scheduler and returns it.
#include "jobs/runtime/parallel/external_participant.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

GuestScope::GuestScope() : lane_(default_shared().enter_guest()) {}

GuestScope::~GuestScope() {
  if (lane_ != nullptr) lane_->shared().leave_guest(*lane_);
}

}  // namespace jobs::inline JOBS_ABI::detail
