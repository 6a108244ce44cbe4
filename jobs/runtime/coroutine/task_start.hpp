// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The begin of tasks that no task awaits: sync_wait() and start(). Any thread may call the
// functions.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/runtime/coroutine/task_frame.hpp"

namespace jobs::inline JOBS_ABI {

class Counter;

namespace detail {

// Runs the task on a worker of the current scheduler, and waits for its end. If an interrupt cuts
// the wait short, waits for the end nevertheless, and throws. Throws Error(kStopped),
// std::bad_alloc.
JOBS_EXPORT void run_task(TaskFrame& frame);

// Starts a Task<void> on a worker of the current scheduler. Owns the frame, also if it throws.
// Throws as run_task(), and Error(kBadArgument) for null. `counter`: null if the task is detached.
JOBS_EXPORT void start_task(TaskFrame* frame, Counter* counter);

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
