// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SchedulerCore: the part that binds threads of the program to workers, and serves the bound
// thread. Each function runs on the thread that is bound.
//
// bound_slots.hpp has the protocol. A vacant worker counts neither as searching nor as parked, so
// no publisher wakes it. Its deque is public. Affine jobs wait in its inbox: a job cannot be
// refused in the middle of a graph.
#include "jobs/base/os.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD void SchedulerCore::check_may_bind() const {
  generation_.check();
  const auto refuse = [](const char* reason) { throw Error(ErrorCode::kBadArgument, reason); };
  const ThreadState& thread = this_thread();
  if (thread.spin_locks != 0)
    contract_violation("Scheduler", this, "a thread was bound while it held a SpinLock");
  const WorkerContext* context = this_context();
  if (context == nullptr && thread.host != nullptr)
    refuse("bind_current_thread(): the thread runs a loop of its own");
  for (; context != nullptr; context = context->worker()->outer_context()) {
    if (context->is_external() || !context->worker()->is_on_root())
      refuse("bind_current_thread(): the thread runs a job or a loop");
    if (&context->shared() == this)
      refuse("bind_current_thread(): the thread is bound to the scheduler already");
  }
}

JOBS_COLD unsigned SchedulerCore::bind_current_thread() {
  check_may_bind();
  const unsigned index = slots_.take([this] { return quiescence_.is_open(); },
                                     [this](unsigned i) { workers_[i]->fibers().reserve_loop(); });
  if (index == BoundSlots::kNone) {
    check_open();
    throw Error(ErrorCode::kBadArgument,
                "bind_current_thread(): all workers for bound threads are taken "
                "(SchedulerOptions::bound_threads)");
  }
  bind(index);
  os::set_exit_guard(this, &thread_ended);
  return index;
}

JOBS_COLD void SchedulerCore::unbind_current_thread(unsigned index) noexcept {
  if (is_forked()) return;  // The thread has left the inherited scheduler already.
  Worker& worker = *workers_[index];
  if (this_thread().host != &worker) {
    contract_violation("Scheduler", this,
                       "a thread was unbound by another thread, or in the wrong order");
  }
  if (!worker.is_on_root()) contract_violation("Scheduler", this, "a thread was unbound by a job");
  if (this_thread().spin_locks != 0)
    contract_violation("Scheduler", this, "a thread was unbound while it held a SpinLock");
  const auto give_up = [&] {
    if (worker.has_pinned()) return false;
    worker.vacate();
    return true;
  };
  do {
    worker.run_pinned_to_end();
  } while (!slots_.stop_serving(index, give_up));
  WorkerContext* const outer = this_context();
  os::set_exit_guard(outer != nullptr ? &of(outer->shared()) : nullptr, &thread_ended);
  if (options_.on_worker_stop) options_.on_worker_stop(index);
  slots_.release(index);
}

void SchedulerCore::thread_ended(void* core) {
  contract_violation("Scheduler", core, "a thread ended while it was bound");
}

void SchedulerCore::run_main_thread_jobs() {
  generation_.check();
  check_place(main_thread);
  if (quiescence_.is_stopped()) throw_stopped();
  if (this_thread().host != workers_[0].get()) {
    contract_violation("Scheduler", this,
                       "run_main_thread_jobs() by another thread than the one that is bound to it");
  }
  if (workers_[0]->has_affine_jobs()) {
    // The jobs run in FIFO order, so one more job runs after all earlier jobs.
    workers_[0]->prepare_wait();  // The last moment at which the wait can fail.
    const auto nothing = [] {};
    CallJob last(nothing, []() noexcept { this_context()->finished.add(1); });
    JobMessage message;
    submit_with_options(last, message, {.on = main_thread});
    last.join();
  }
  // Without other workers, a thread that never waits would starve all other jobs and fibers.
  if (worker_count() == bound_slots_) workers_[0]->yield_to_job();
}

}  // namespace jobs::inline JOBS_ABI::detail
