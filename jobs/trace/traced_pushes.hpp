// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The pushes of a thread that a recorder watches: spawns, forks, and chunks of loops. WorkerContext
// calls the functions by weak references, so programs without the component do not contain them.
//
// A fork that its parent runs itself is a plain call: pop_if() finds the job at the top of the
// deque, and the parent calls the closure. While forks are recorded, a marker lies above each fork.
// Then pop_if() fails, and the parent runs the job as a thief does (WorkerContext::run_marked()).
#pragma once

#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// From now on, the pushes of the calling thread are recorded. Other workers learn of it with their
// next job.
void watch_pushes() noexcept;

// The function of a marker, which does nothing. A thief, and the loop of a worker, may run it.
jobs::detail::Job::Run fork_marker_function() noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
