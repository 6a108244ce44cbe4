// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/priority_lift.hpp"

#include <atomic>
#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

class LiftTicket final : public Worker::Call, public HeapObject<LiftTicket> {
 public:
  // `counter`: only its address counts. The counter may end before the ticket.
  LiftTicket(const void* counter, Priority priority) noexcept
      : Call(&run), counter_(counter), priority_(priority) {}

 private:
  auto matches() const noexcept {
    return [counter = counter_](const Job& job) {
      return static_cast<const CountedJob&>(job).counter() == counter;
    };
  }

  static void run(Worker& worker, Call& call) {
    auto& self = static_cast<LiftTicket&>(call);
    Shared& shared = worker.context().shared();
    Job* const job = self.take(worker);
    if (self.has_next(worker)) {
      // A worker of a bound thread takes no not-main jobs: the other workers take the ticket.
      if (job == nullptr && worker.is_main()) self.place_ = not_main_thread;
      JobMessage unused;  // Only jobs for one worker need a message.
      shared.resubmit_with_options(self, unused, {.on = self.place_, .priority = self.priority_});
    } else {
      worker.context().finished.add(1);
      delete &self;
    }
    if (job != nullptr) worker.run_inner(*job);
  }

  // Takes the next lower job of the counter.
  Job* take(Worker& worker) const noexcept {
    [[maybe_unused]] const sanitizer::IgnoreSync shared_queues;
    SharedJobs& queues = worker.context().shared().shared_jobs();
    for (const Priority lower : {Priority::kLow, Priority::kBackground}) {
      if (lower <= priority_ || !queues.waits(lower)) continue;
      if (has_affine(worker, lower)) {
        queues.remove_affine(lower);
        return worker.parker().affine.pop(lower)->job;
      }
      if (Job* const job = queues.take_awaited(lower, !worker.is_main(), matches())) return job;
    }
    return nullptr;
  }

  bool has_next(Worker& worker) const noexcept {
    [[maybe_unused]] const sanitizer::IgnoreSync shared_queues;
    SharedJobs& queues = worker.context().shared().shared_jobs();
    for (const Priority lower : {Priority::kLow, Priority::kBackground}) {
      if (lower <= priority_) continue;
      if (has_affine(worker, lower) || queues.has_awaited(lower, matches())) return true;
    }
    return false;
  }

  // Returns whether the next affine job of that priority is one of the counter.
  bool has_affine(Worker& worker, Priority lower) const noexcept {
    const JobMessage* const first = worker.parker().affine.first(lower);
    return first != nullptr && first->is_counted && matches()(*first->job);
  }

  const void* const counter_;
  const Priority priority_;
  Place place_ = anywhere;
};

// If there is no memory, or the scheduler is shut down, the jobs keep their priority.
JOBS_COLD void queue_ticket(Shared& shared, const void* counter, Priority priority) noexcept {
  if (!shared.shared_jobs().has_lower()) return;
  LiftTicket* ticket = nullptr;
  try {
    ticket = new LiftTicket(counter, priority);
    JobMessage unused;
    shared.submit_with_options(*ticket, unused, {.priority = priority});
  } catch (...) {
    delete ticket;
  }
}

}  // namespace

JOBS_COLD void PriorityLift::submit(Shared& shared, CountedJob& job, JobMessage& message,
                                    const SpawnOptions& options) {
  Shared::check_priority(options.priority);
  Worker::record_lower_jobs();
  if (job.counter() == nullptr) return shared.submit_valid(job, message, options);
  if (Counter::lift_.load(std::memory_order_relaxed) == nullptr)
    Counter::lift_.store(&lift, std::memory_order_relaxed);
  const std::uint32_t before =
      job.counter()->failures_.fetch_or(Counter::kHasLower, counter_order::kFailure);
  if ((before & Counter::kIsLifted) == 0) return shared.submit_counted(job, message, options);
  shared.submit_with_options(job, message, {.on = options.on});
}

// A worker lifts the jobs of its own scheduler only: another thread may hold the lock of the list
// while it waits for the worker.
JOBS_COLD void PriorityLift::lift(Counter& counter) noexcept {
  const WorkerContext* const context = this_context();
  const bool is_worker = context != nullptr && !context->is_external();
  const unsigned below = is_worker ? this_thread().host->current().below_normal : 0;
  const auto priority = static_cast<Priority>(static_cast<unsigned>(Priority::kNormal) + below);
  if (priority >= Priority::kBackground) return;
  if (priority == Priority::kNormal &&
      (counter.failures_.fetch_or(Counter::kIsLifted, counter_order::kFailure) &
       Counter::kIsLifted) != 0) {
    return;  // Another wait has lifted the jobs.
  }
  if (is_worker) {
    queue_ticket(this_context()->shared(), &counter, priority);
  } else {
    CoreList::instance().for_each(
        [&](SchedulerCore& core) { queue_ticket(core, &counter, priority); });
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
