// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/job_trigger.hpp"

#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI::detail {

FiberCore& JobTrigger::fiber() noexcept {
  static JobTrigger trigger;
  return trigger.fiber_;
}

CountdownCore& JobTrigger::core_of(Counter& counter) noexcept { return counter.core_; }

CounterWait::CounterWait(DependentJob& waiting) : Waiter(JobTrigger::fiber()), job(waiting) {}

ThresholdWait::ThresholdWait(DependentJob& waiting, Counter& counter, std::size_t most)
    : CounterWait(waiting), threshold(JobTrigger::core_of(counter), most) {}

bool JobTrigger::follow(Counter& counter, CounterWait& wait) noexcept {
  return counter.core_.link(wait);
}

void JobTrigger::post(Wakeup& wakeup) noexcept {
  static_cast<CounterWait&>(static_cast<Waiter&>(wakeup)).job.meet(1);
}

void TimedStart::start(Shared& shared) {
  shared.submit(*this);  // counts for the job, which counts as finished at its end
}

// A bound thread waits for its deadlines before it leaves, so other workers keep them if there are
// any.
void TimedStart::arm(Job& self) {
  auto& start = static_cast<TimedStart&>(self);
  const WorkerContext& context = *this_context();
  Shared& shared = context.shared();
  if (context.worker()->is_main() && shared.worker_count() > shared.bound_slots()) {
    JobMessage unused;
    return shared.resubmit_with_options(start, unused, {.on = not_main_thread});
  }
  this_thread().host->arm(start);
}

// Through the queue of all workers, because a retired worker, which runs no jobs, keeps its
// deadlines.
void TimedStart::expire(CallAtDeadline& deadline) noexcept {
  static_cast<TimedStart&>(deadline).job_.meet_from_outside(1);
}

}  // namespace jobs::inline JOBS_ABI::detail
