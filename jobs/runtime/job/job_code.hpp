// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// code_of_job(): the function that stands for a job in reports, recordings and profiles, and for
// JobHooks. The thread that has taken the job calls it before it runs the job.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Returns the function of the coroutine that the job begins or resumes; null: another kind of job.
// The functions of tasks define it (runtime/coroutine/task_start.cpp): it is null in a static
// program without them.
[[gnu::weak]] JOBS_EXPORT CodeAddress code_of_task(const Job& job) noexcept;

// Returns the function of the coroutine, if there is one; otherwise the function that run() calls.
JOBS_ALWAYS_INLINE CodeAddress code_of_job(const Job& job) noexcept {
  const CodeAddress task = &code_of_task != nullptr ? code_of_task(job) : nullptr;
  return task != nullptr ? task : reinterpret_cast<CodeAddress>(job.entry());
}

}  // namespace jobs::inline JOBS_ABI::detail
