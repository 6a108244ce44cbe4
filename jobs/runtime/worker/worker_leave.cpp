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
#include "jobs/fiber/fiber_label.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/lock_holder.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The pauses between two looks, while fibers wait.
constexpr os::Nanoseconds kFirstPause = 10'000;
constexpr os::Nanoseconds kLastPause = 1'000'000;
// A waiting thread looks in this interval for a fiber that awaits one of its locks.
constexpr os::Nanoseconds kReportInterval = 1'000'000'000;

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
  os::Nanoseconds report_at = os::now() + kReportInterval;
  for (os::Nanoseconds pause = kFirstPause; has_pinned(); pause = std::min(2 * pause, kLastPause)) {
    prepare_wait();
    const os::Nanoseconds now = os::now();
    if (now >= report_at) report_at = report_held_lock() ? os::kNever : now + kReportInterval;
    Deadline timer(&current(), now + pause);
    arm(timer);
    suspend(kTimeout);
    disarm(timer);
  }
  rank_ = index_;
}

// Writes one line if a fiber of this worker waits for a lock of this thread, which unlocks nothing
// before it has left. A deadline, a stop or an interrupt may still end the wait. Returns whether it
// has written.
JOBS_COLD bool Worker::report_held_lock() const {
  bool is_written = false;
  for_each_fiber([&is_written](const StackFiber& fiber) {
    if (is_written || fiber.suspended == FiberCore::kAwake ||
        owner_of(fiber.waits_for) != &this_thread())
      return;
    is_written = true;
    MessageLine line;
    line << "jobs: a thread cannot be unbound: it holds a lock that ";
    append_label(line, fiber);
    line << " awaits, " << fiber.home->describe();
    os::write_error(line.finish());
  });
  return is_written;
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
