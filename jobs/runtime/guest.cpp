// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/guest.hpp"

#include "jobs/runtime/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

GuestScope::GuestScope() : lane_(default_core().enter_guest()) {}

GuestScope::~GuestScope() {
  if (lane_ != nullptr) lane_->core().leave_guest(*lane_);
}

}  // namespace jobs::inline JOBS_ABI::detail
