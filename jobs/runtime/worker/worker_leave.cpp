// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Worker with which a bound thread leaves: it runs the jobs and fibers pinned to the
// worker to their end, and leaves everything else to other workers. Only the thread of the worker
// calls these functions, on its root fiber. scheduler_binding.cpp has the steps.
#include <algorithm>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/lock_holder.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The pauses between two looks, while fibers wait.
constexpr os::Nanoseconds kFirstPause = 10'000;
constexpr os::Nanoseconds kLastPause = 1'000'000;

}  // namespace

JOBS_COLD bool Worker::has_pinned() noexcept {
  poll();
  return !parker_.affine.empty() || has_ready() || !timers_.empty() ||
         fibers_.live() != fibers_.idle();
}

JOBS_COLD void Worker::run_pinned_to_end() noexcept {
  const InterruptShield shield(current());
  rank_ = kLeaving;
  checks_in_ = 1;  // take_job() calls take_fairly() next.
  for (os::Nanoseconds pause = kFirstPause; has_pinned(); pause = std::min(2 * pause, kLastPause)) {
    prepare_wait();
    Deadline timer(&current(), os::now() + pause);
    arm(timer);
    suspend(kTimeout);
    disarm(timer);
    refuse_held_lock();
  }
  rank_ = index_;
}

// Aborts if a fiber of this worker waits for a lock of this thread, which unlocks nothing before it
// has left. A wait with a deadline ends by itself.
JOBS_COLD void Worker::refuse_held_lock() const {
  if (!timers_.empty()) return;
  for_each_fiber([](const StackFiber& fiber) {
    if (fiber.suspended == FiberCore::kAwake || owner_of(fiber.waits_for) != &this_thread()) return;
    contract_violation("Lock", fiber.waits_for.object,
                       "its thread was unbound while a fiber of the worker waited for it");
  });
}

JOBS_COLD void Worker::vacate() noexcept {
  pass_jobs_on();
  if (std::exchange(in_background_, false)) {
    shared_.shared_jobs().leave_background();
    shared_.shared_jobs().offer_background(idle_);
  }
  context_.clear_cpu();
  fibers_.release_all();
  context_.release_memory();
  unbind();
}

}  // namespace jobs::inline JOBS_ABI::detail
