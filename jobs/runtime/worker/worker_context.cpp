// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker_context.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD Lane::Lane(Shared& shared, Idle& idle, Worker* worker, bool has_thieves, os::Node node)
    : blocks(node),
      deque_(has_thieves && !light_fence_is_free() ? OwnerBarrier::kAlways : OwnerBarrier::kWhenShared, node),
      idle_(idle),
      shared_(shared),
      worker_(worker),
      has_thieves_(has_thieves) {}

Lane::~Lane() = default;

void Lane::offer() noexcept {
  deque_.share();
  shared_.move_new_threads();
  idle_.published([this] { note_cpu(); });
}

}  // namespace jobs::inline JOBS_ABI::detail
