// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: is_at_rest() tells whether a scheduler has a job, for jobs/interop/tbb. It stands apart
// from the scheduler, so that only programs that call it contain its code.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// Returns whether all jobs of the scheduler have ended, and this process has its workers (a forked
// child has not). Exact if no other thread submits jobs meanwhile. Any thread.
JOBS_EXPORT bool is_at_rest(const Shared& shared) noexcept;

// Returns whether the process is a forked child that has only a copy of the scheduler. Any thread.
JOBS_EXPORT bool is_inherited(const Shared& shared) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
