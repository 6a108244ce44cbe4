// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker_context.hpp"

#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD WorkerContext::WorkerContext(Shared& shared, Idle& idle, Worker* worker, bool has_thieves,
                                       os::Node node, const ParticipantActions* actions)
    : ThreadContext(actions),
      blocks(node),
      deque_(
          // A participant may steal from a single worker, too.
          light_fence_is_free() ? OwnerBarrier::kWhenPublic : OwnerBarrier::kAlways, node),
      idle_(idle),
      shared_(shared),
      worker_(worker),
      has_thieves_(has_thieves) {}

WorkerContext::~WorkerContext() = default;

JOBS_COLD void WorkerContext::serve(const void* wait) noexcept {
  if (worker_ != nullptr) worker_->serve(wait);
}

void WorkerContext::publish() noexcept {
  deque_.publish();
  shared_.move_new_threads();
  idle_.published([this] { record_cpu(); });
}

}  // namespace jobs::inline JOBS_ABI::detail
