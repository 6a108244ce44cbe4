// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/fibers/owner_lift.hpp"

#include <atomic>
#include <cstdint>

#include "jobs/base/heap.hpp"
#include "jobs/fiber/ready_order.hpp"
#include "jobs/runtime/parking/message_queue.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Asks the worker of the lock owner to move it to the front. The address is only compared: by then,
// the lock owner may have ended, and another fiber may have its address. That fiber gets a turn
// early, once.
class AdvanceRequest final : public MessageQueue::WorkerRequest {
 public:
  JOBS_HEAP_OPERATORS

  explicit AdvanceRequest(const void* owner) noexcept : owner_(owner) {}
  void answer(FiberHost& worker, bool /*idle*/) noexcept override {
    advance_ready(worker, owner_);
    delete this;
  }
  void refuse() noexcept override { delete this; }

 private:
  const void* const owner_;
};

// LockOwner proves that a fiber of the own host still owns the lock.
void lift_here(FiberHost& host, FiberCore& owner, unsigned rank) noexcept {
  if (owner.rank >= rank) return;
  if (owner.suspended) {
    owner.rank = static_cast<std::uint8_t>(owner.rank | kAdvances);
  } else {
    advance_ready(host, &owner);
  }
}

void lift_there(const Shared& shared, const void* owner, const FiberHost* home) noexcept {
  for (unsigned i = 0; i < shared.worker_count(); ++i) {
    Worker& worker = Worker::of(shared, i);
    if (static_cast<const FiberHost*>(&worker) != home) continue;
    if (shared.is_parked(i)) return;  // It has no ready fiber.
    try {
      worker.post(*new AdvanceRequest(owner));
    } catch (...) {  // No memory: the owner keeps its place.
    }
    return;
  }
}

JOBS_COLD void lift(const void* owner, const FiberHost* home) noexcept {
  const ThreadState& thread = this_thread();
  const WorkerContext* const context = this_context();
  if (context == nullptr || context->is_external()) return;
  if (owner == nullptr || owner == &thread) return;
  const unsigned rank = thread.host->current().rank & ~unsigned{kAdvances};
  if (rank == 0) return;
  if (home == thread.host) {
    lift_here(*thread.host, *static_cast<FiberCore*>(const_cast<void*>(owner)), rank);
  } else {
    lift_there(context->shared(), owner, home);
  }
}

}  // namespace

void begin_ranks() noexcept {
  insert_ready_by_rank.store(&insert_by_rank, std::memory_order_relaxed);
  lift_lock_owner.store(&lift, std::memory_order_relaxed);
}

}  // namespace jobs::inline JOBS_ABI::detail
