// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/job_on_thread.hpp"

#include <memory>

#include "jobs/fiber/current.hpp"
#include "jobs/fiber/float_control.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

void JobOnThread::submit(Shared& shared, Job& job) {
  auto* const on_thread = new JobOnThread(job);
  try {
    shared.submit(*on_thread);
  } catch (...) {
    delete on_thread;
    throw;
  }
}

void JobOnThread::start(Worker& worker, Call& call) {
  const std::unique_ptr<JobOnThread> self(&static_cast<JobOnThread&>(call));
  worker.run_inner(self->job_, &run);
}

// The job counts as finished before its thread has finished the call. So the call counts, too.
void JobOnThread::run(Job& job) noexcept {
  WorkerContext& context = *this_context();
  SchedulerCore& core = SchedulerCore::of(context.shared());
  if (!core.take_job_thread()) return job.run();
  context.spawned.add(1);
  bool has_run = false;
  auto run_as_participant = [&core, &job, &has_run] {
    WorkerContext* const participant = core.enter_participant();
    if (participant == nullptr) return;
    has_run = true;
    ensure_default_float_control();
    job.run();
    core.leave_participant(*participant);
  };
  try {
    CallJob<decltype(run_as_participant), false> call(run_as_participant);
    core.blocking_pool().run(call);
    call.take();
  } catch (...) {  // There is no thread, no memory, or no stack for the wait.
  }
  core.return_job_thread();
  if (!has_run) job.run();
  context.finished.add(1);
}

}  // namespace jobs::inline JOBS_ABI::detail
