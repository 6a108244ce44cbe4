// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scheduler of a call that names none. On a worker it is the scheduler of the worker. On an
// external thread it is that of the innermost SchedulerScope of the thread, or else the default
// scheduler of the process. The default scheduler starts at its first use and is never destroyed.
// Any thread may call these functions.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI {

struct SchedulerOptions;

namespace detail {

class SchedulerCore;
class Shared;

// A scheduler that an external thread has made current. It lies in a SchedulerScope. Only the
// thread itself accesses it.
struct ThreadScope {
  Shared& shared;
  ThreadScope* outer;
};

// Returns the scheduler of an external thread: that of its innermost scope, or else the default
// scheduler. Throws as default_core() does.
JOBS_EXPORT Shared& default_shared();
// Returns the scheduler of the worker, or of the loop, that the calling thread runs, or else
// default_shared(). Throws as default_core() does.
JOBS_EXPORT Shared& current_shared();
// Returns the scheduler of current_shared(), for callers that describe it.
SchedulerCore& current_core();

// Returns the default scheduler of the process. The first call starts it, and throws the exceptions
// of the constructor of Scheduler.
SchedulerCore& default_core();
// Sets the options with which the default scheduler will start. Throws Error(kStarted) if it runs
// already or has run.
void set_default_core_options(SchedulerOptions&& options);
// Makes the default scheduler start with at least this number of bytes per stack, unless the
// program sets options. No effect after the start.
JOBS_EXPORT void raise_default_stack(std::size_t size);
// Throws that Error.
[[noreturn]] void refuse_late_options();

// Allows the system to unload the library. Called when the default scheduler is shut down.
void release_default_library() noexcept;
// Called in a child process: the default scheduler starts anew at its next use.
void forget_default_core() noexcept;

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
