// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PriorityLift: a wait for a Counter lifts the low and background jobs of that counter, so that the
// waiter does not wait for the turns of lower jobs. submit_spawned() calls submit(); Counter calls
// lift() through a pointer, so that only programs that spawn jobs with options contain it.
//
//   step 1  submit() marks the counter and the queued job (Counter::kHasLower).
//   step 2  A wait for a marked counter queues a ticket, which is a job of the waiter's priority. A
//           selection, also that of a task, does so when it links its alternative.
//   step 3  The worker that takes the ticket takes the next lower job of the counter: first the low
//           jobs, then the background ones; of each, its oldest affine job first. If the counter
//           has more lower jobs, the worker queues the ticket again, at the end. Then it runs the
//           job. Otherwise the ticket ends. So no ticket outlives a wait, unless the wait has ended
//           early.
//   step 4  After a wait of a normal job, submit() makes each lower job of the counter a normal one
//           (Counter::kIsLifted), because the waiter waits for these jobs, too.
//   step 5  A wait that finds no outstanding job removes both marks.
//
// So a lifted job has the turn that a job of the waiter's priority has if it is queued after the
// begin of the wait. Lifted jobs pass no job that was queued before, and keep their order by
// priority. The flags are hints; the queues carry everything else.
//
// A job that another thread submits between steps 2 and 4 keeps its priority. It runs by the rule
// for lower jobs, so the wait ends in any case.
//
// A lifted job counts as a job of the waiter's priority: it lifts what it waits for, and does not
// count in the limit of background jobs.
//
// Rejected:
// - Moving the jobs of the counter to the normal queue. The walk through a queue of 100,000 jobs
//   would stop all workers, and low affine jobs would run after lifted background jobs.
// - A list of counters with waiters, which a worker checks before it takes a lower job. The worker
//   would look for a job of these counters in the whole queue, for each job.
// - A search through a whole queue. A ticket looks at SharedJobs::kMostVisited jobs. If the counter
//   has none among them, and more jobs wait, the ticket runs the oldest one: it advances.
#pragma once

#include "jobs/runtime/worker/shared.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI::detail {

class PriorityLift {
 public:
  // As Shared::submit_with_options(), for a job of a lower priority. Any thread.
  static void submit(Shared& shared, CountedJob& job, JobMessage& message,
                     const SpawnOptions& options);

 private:
  // Called by a thread that is about to wait for the counter.
  static void lift(Counter& counter) noexcept;
};

}  // namespace jobs::inline JOBS_ABI::detail
