// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/job_failure.hpp"

#include <new>
#include <utility>

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

JobFailure::JobFailure(std::exception_ptr exception, const Hook& hook)
    : exception_(std::move(exception)), on_unhandled_(hook) {}

JobFailure* JobFailure::make(const Shared& shared, std::exception_ptr exception) noexcept {
  try {
    return new JobFailure(exception, shared.options().on_unhandled);
  } catch (...) {
    Shared::terminate_unhandled(exception);
  }
}

void JobFailure::release() noexcept {
  if (owners_.fetch_sub(1, job_failure_order::kDropPart) != 1) return;
  if (!observed_.load(job_failure_order::kObserve)) {
    if (!on_unhandled_) Shared::terminate_unhandled(exception_);
    on_unhandled_(exception_);
  }
  delete this;
}

void JobFailure::rethrow() {
  observed_.store(true, job_failure_order::kObserve);
  std::rethrow_exception(exception_);
}

}  // namespace jobs::inline JOBS_ABI::detail
