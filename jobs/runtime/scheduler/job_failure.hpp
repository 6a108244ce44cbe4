// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobFailure: the exception of a DependentJob. The job shares it with the jobs that are left out
// because of it; each of them owns a part. Any thread may call the functions, for a part that it
// knows to exist.
//
// An exception is never lost. If no wait has rethrown it when the last part is released, it goes to
// on_unhandled. The object has a copy of the hook, because handles may outlive the scheduler.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

namespace job_failure_order {
JOBS_ORDER(kAddPart, relaxed);  // The caller has a part already.
// [job_failure.1] The last owner sees whether a wait has rethrown the exception. Partner: itself.
JOBS_ORDER(kDropPart, acq_rel);
JOBS_ORDER(kObserve, relaxed);  // Published by the release of a part, [job_failure.1].
}  // namespace job_failure_order

class JobFailure : public HeapObject<JobFailure> {
 public:
  // The exception of a job of that scheduler, with one part. If there is no memory, the program
  // ends as without a hook.
  static JobFailure* make(const Shared& shared, std::exception_ptr exception) noexcept;

  void add_owner() noexcept { owners_.fetch_add(1, job_failure_order::kAddPart); }
  void release() noexcept;
  [[noreturn]] void rethrow();

 private:
  using Hook = std::function<void(std::exception_ptr)>;

  JobFailure(std::exception_ptr exception, const Hook& hook);

  const std::exception_ptr exception_;
  const Hook on_unhandled_;
  Atomic<std::uint32_t> owners_{1};
  Atomic<bool> observed_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
