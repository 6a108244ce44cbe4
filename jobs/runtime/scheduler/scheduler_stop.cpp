// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: the part that stops the workers. shutdown() runs on the thread of the user.
//
// Stopping:
//   1. Reject work from outside. Running jobs may still spawn. Wait for the external participants.
//   2. Drain. Each worker without work checks whether all submitted jobs have finished, and signals
//      drained_. Then daemons are requested to stop, and drained.
//   3. Set stopping_, and send each worker a message. The loop of the worker leaves to its root
//      fiber, and the thread ends.
//   4. Join the threads. All fibers are idle, and their stacks are released.
//   5. Stop the blocking pool. Without fibers no blocking() is in progress: the threads of the pool
//      are idle, and end.
#include <array>
#include <chrono>
#include <mutex>
#include <span>

#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The interval in which a shutdown checks whether external participants have left.
constexpr std::chrono::milliseconds kParticipantCheck{1};

}  // namespace

JOBS_COLD void SchedulerCore::shutdown() {
  generation_.check();
  if (state_.load(shared_order::kDrain) == State::kStopped) return;
  if (is_own_worker() && !this_context()->worker()->is_on_root()) {
    contract_violation("Scheduler", this, "shut down from one of its own jobs");
  }
  if (options_.bind_caller && this_thread().host != workers_[0].get()) {
    contract_violation("Scheduler", this,
                       "shut down by another thread than the one that is bound to it");
  }
  if (const WorkerContext* const context = this_context();
      context != nullptr && context->is_external() && &context->shared() == this) {
    contract_violation("Scheduler", this, "shut down from inside of a loop that runs on it");
  }
  close();
  wait_for_participants();
  do {
    if (bound_slots_ != 0 && !is_quiescent()) serve_vacant_slots();
    wait_until_quiescent();
  } while (stop_daemons());
  CoreList::instance().remove(*this);
  watchdog_.reset();
  stop_threads();
  if (options_.bind_caller) unbind(0);
  blocking_.stop();
  state_.store(State::kStopped, shared_order::kDrain);
}

// Workers do not see the end of a participant, so this thread looks in intervals.
JOBS_COLD void SchedulerCore::wait_for_participants() {
  while (participants_.has_taken(1)) {
    static_cast<void>(drained_.wait_for(kParticipantCheck));
    drained_.reset();  // wait_until_quiescent() checks the counters before it waits.
  }
}

JOBS_COLD void SchedulerCore::wait_until_quiescent() {
  const WaitingThread here;
  const InterruptShield shield(here.host().current());
  while (!is_quiescent()) {
    drained_.wait();
    if (is_quiescent()) return;
    drained_.reset();  // The signal was that of an earlier drain.
    full_fence(shared_order::kDrain);
  }
}

// Requests all daemons to stop, and counts them. Daemons do not count while they run, so the first
// drain does not wait for them; the next drain does. Returns false if there are none.
JOBS_COLD bool SchedulerCore::stop_daemons() {
  for (bool any = false;;) {
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
    if (count == 0) return any;
    for (FiberControl* const daemon : std::span(daemons).first(count)) {
      // First, so that the finished jobs never outnumber the submitted jobs.
      spawned_outside_.fetch_add(1, shared_order::kAdmit);
      if (daemon->mark_counted()) {
        any = true;
      } else {
        refused_outside_.fetch_add(1, shared_order::kAdmit);
      }
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

JOBS_COLD void SchedulerCore::close() {
  const std::scoped_lock lock(binding_);
  for (unsigned i = options_.bind_caller ? 1 : 0; i < bound_slots_; ++i) {
    if (slots_[i].taken) contract_violation("Scheduler", this, "shut down while a thread is bound");
  }
  state_.store(State::kDraining, shared_order::kDrain);
  full_fence(shared_order::kDrain);
}

JOBS_COLD void SchedulerCore::serve_vacant_slots() noexcept {
  threads_.end_moves();
  const std::scoped_lock lock(binding_);
  for (unsigned i = 0; i < bound_slots_; ++i) {
    if (slots_[i].taken) continue;
    slots_[i] = {.taken = true, .serving = true};
    workers_[i]->fibers().loops().reserve_stack();
    threads_.start([this, i] { run_thread(i); });
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
