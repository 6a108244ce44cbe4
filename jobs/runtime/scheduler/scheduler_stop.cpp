// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: the part that stops the workers. shutdown() runs on a thread of the user.
//
// Stopping:
//   1. Reject work from outside. Running jobs and external participants may still spawn.
//   2. Take the turn. If several threads shut the scheduler down, one thread at a time executes the
//      steps below. A thread whose deadline passes gives the turn back, and the next thread
//      continues: each step may be repeated.
//   3. Drain (Quiescence). Then daemons are requested to stop, and drained.
//   4. Set stopping_, and send each worker a message. The loop of the worker leaves to its root
//      fiber, and the thread ends.
//   5. Join the threads. All fibers are idle, and their stacks are released.
//   6. Stop the blocking pool. Without fibers no blocking() is in progress: the threads of the pool
//      are idle, and end.
//   7. Return the unused memory of the workers to the system.
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Jobs from outside lie on the heap. With fewer jobs than these, a shutdown leaves the heap alone.
constexpr std::uint64_t kManyJobs = 1 << 16;

JOBS_COLD void SchedulerCore::check_may_stop() {
  if (is_own_worker() && !this_context()->worker()->is_on_root())
    contract_violation("Scheduler", this, "shut down from one of its own jobs");
  if (is_in_blocking_call())
    contract_violation("Scheduler", this, "shut down from blocking() of one of its own jobs");
  if (options_.bind_caller && this_thread().host != workers_[0].get()) {
    contract_violation("Scheduler", this,
                       "shut down by another thread than the one that is bound to it");
  }
  if (const WorkerContext* const context = this_context();
      context != nullptr && context->is_external() && &context->shared() == this) {
    contract_violation("Scheduler", this, "shut down from inside of a loop that runs on it");
  }
}

JOBS_COLD void SchedulerCore::shutdown() {
  if (watch_limits_.shutdown != WatchLimits::kOff) {
    const os::Nanoseconds start = os::now();
    if (shutdown_before(start + watch_limits_.shutdown)) return;
    report_shutdown_(*this, std::chrono::nanoseconds(os::now() - start));
  }
  shutdown_before(os::kNever);
}

JOBS_COLD bool SchedulerCore::shutdown_before(os::Nanoseconds deadline) {
  generation_.check();
  if (!quiescence_.is_stopped()) {
    check_may_stop();
    close();
  }
  const WaitingThread here;
  const InterruptShield shield(here.host().current());
  // Also taken after the end: then no other thread accesses this object when the call returns.
  if (!quiescence_.take_turn(deadline)) return false;
  struct Turn {
    Quiescence& quiescence;
    ~Turn() { quiescence.give_turn(); }
  };
  const Turn turn{quiescence_};
  if (quiescence_.is_stopped()) return true;
  if (!drain(deadline)) return false;
  CoreList::instance().remove(*this);
  watchdog_.reset();
  stop_threads();
  if (options_.bind_caller) unbind(0);
  blocking_.stop();
  release_memory();
  quiescence_.stop();
  return true;
}

JOBS_COLD bool SchedulerCore::drain(os::Nanoseconds deadline) {
  struct Work {
    bool has_participants() const { return core.participants_.has_taken(1); }
    bool has_ended() const { return core.has_ended(); }
    std::uint64_t submitted() const { return core.submitted(); }
    bool before_wait() const { return core.bound_slots_ != 0 && core.serve_vacant_slots(); }
    void stop_daemons() const { core.stop_daemons(); }

    SchedulerCore& core;
  };
  return quiescence_.drain(deadline, Work{*this});
}

// Requests all daemons to stop, and counts them as submitted. Daemons do not count while they run,
// so the first drain does not wait for them; the next drain does.
JOBS_COLD void SchedulerCore::stop_daemons() {
  for (;;) {
    // At most 64 at a time: a shutdown allocates no memory, so that it cannot fail.
    std::array<FiberControl*, 64> daemons;
    std::size_t count = 0;
    FiberRegistry::instance().for_each([&](FiberControl& fiber) {
      if (count == daemons.size() || !fiber.belongs_to(*this) || !fiber.is_daemon() ||
          fiber.is_counted())
        return;
      daemons[count++] = &fiber;
      fiber.add_owner();
    });
    if (count == 0) return;
    for (FiberControl* const daemon : std::span(daemons).first(count)) {
      // First, so that the finished jobs never outnumber the submitted jobs.
      quiescence_.admit();
      if (!daemon->mark_counted()) quiescence_.refuse();
      daemon->request_stop();
      daemon->release();
    }
  }
}

JOBS_COLD void SchedulerCore::stop_threads() noexcept {
  stopping_.store(true, shared_order::kStop);
  threads_.end_moves();
  // A worker without a thread keeps the message.
  for (unsigned i = options_.bind_caller ? 1 : 0; i < workers_.size(); ++i)
    workers_[i]->post_stop();
  threads_.join();
}

// pre: the threads of the workers have ended, so this thread is the owner of their memory.
JOBS_COLD void SchedulerCore::release_memory() noexcept {
  for (const auto& worker : workers_) worker->context().release_memory();
  if (quiescence_.submitted_outside() >= kManyJobs) os::trim_heap();
}

JOBS_COLD void SchedulerCore::close() {
  if (!slots_.refuse_threads(
          options_.bind_caller ? 1 : 0, [this] { return quiescence_.is_open(); },
          [this] { quiescence_.close(); }))
    contract_violation("Scheduler", this, "shut down while a thread is bound");
}

JOBS_COLD bool SchedulerCore::serve_vacant_slots() noexcept {
  threads_.end_moves();
  return !slots_.take_all([this](unsigned i) {
    try {
      workers_[i]->fibers().loops().reserve_stack();
      threads_.start([this, i] { run_thread(i); });
      return true;
    } catch (const std::exception& error) {
      if (std::exchange(has_reported_vacancy_, true)) return false;
      MessageLine line;
      line << "jobs: a shutdown tries again to start the thread of vacant worker " << i << ": "
           << error.what();
      os::write_error(line.finish());
      return false;
    }
  });
}

}  // namespace jobs::inline JOBS_ABI::detail
