// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the workers for PerWorker.
#include "jobs/per_worker.hpp"

#include "jobs/base/annotate.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

WorkerNumbers::WorkerNumbers() {
  const Shared& shared = current_shared();
  shared_ = &shared;
  count_ = shared.worker_count();
}

std::size_t WorkerNumbers::of_caller() const noexcept {
  const WorkerContext* const context = this_context();
  if (context == nullptr || context->is_external() || &context->shared() != shared_) return kNone;
  sanitizer::annotate_acquire(this_thread().host);  // no fiber keeps its reference over a wait
  const std::size_t index = context->worker()->index();
  return index < count_ ? index : kNone;  // kNone: another scheduler at the same address
}

}  // namespace jobs::inline JOBS_ABI::detail
