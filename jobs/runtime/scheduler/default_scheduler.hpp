// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler of a call that names none: the scheduler of the calling thread, or else the default
// scheduler of the process. The default scheduler starts at its first use and is never destroyed.
// Any thread may call these functions.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;
class Shared;

// Returns the default scheduler. The first call starts it, and throws the exceptions of the
// constructor of Scheduler.
JOBS_EXPORT Shared& default_shared();
// Returns the scheduler of the calling thread, or else the default scheduler. Throws as
// default_shared() does.
JOBS_EXPORT Shared& current_shared();

// Return the same schedulers, for callers that start, stop or describe them.
SchedulerCore& default_core();
SchedulerCore& current_core();

// Allows the system to unload the library. Called when the default scheduler is shut down.
void release_default_library() noexcept;
// Called in a child process: the default scheduler starts anew at its next use.
void forget_default_core() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
