// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler that a call without one uses: the scheduler of the calling thread, else the default scheduler of the process, which
// starts at the first use and is never destroyed. Any thread.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;
class Shared;

// Starts the default scheduler at the first call. Throws what starting a scheduler throws.
JOBS_EXPORT Shared& default_shared();
// The scheduler of the calling thread, else the default one. Throws the same.
JOBS_EXPORT Shared& current_shared();

// The same schedulers, to start, stop and describe them.
SchedulerCore& default_core();
SchedulerCore& current_core();

// The default scheduler is shut down: the library may be unloaded.
void let_unload_default() noexcept;
// By a child process: the default scheduler starts anew at its next use.
void forget_default_core() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
