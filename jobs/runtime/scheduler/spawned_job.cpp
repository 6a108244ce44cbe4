// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow path of a spawned job: an exception that no counter receives.
#include "jobs/runtime/scheduler/spawned_job.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

void report_unhandled(std::exception_ptr exception) noexcept {
  this_context()->shared().unhandled(std::move(exception));
}

}  // namespace jobs::inline JOBS_ABI::detail
