// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The variables that switch something before anybody could be told that they mean nothing: whoever starts a scheduler is told.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// JOBS_FENCED: 0 or 1. JOBS_RAID: eager. JOBS_STACK_GUARD: mprotect. Each may be empty. Throws Error(kBadEnvironment) with the name and the value.
void check_switches();

}  // namespace jobs::inline JOBS_ABI::detail
