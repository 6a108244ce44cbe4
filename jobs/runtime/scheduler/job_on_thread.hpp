// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobOnThread: SchedulerMode::kThreads. It stands in the queues for the job of a spawn() or run().
// The worker that takes it passes the job to a thread of the BlockingPool, and its fiber waits for
// the end of the call. The thread is a participant meanwhile, so that workers help its loops.
//
// The job runs on the worker itself if it has no thread: the pool is at its limit, no thread starts
// or no participant slot is free, or the worker has no stack for the wait. So jobs that wait for
// one another never wait for a thread.
//
// Owner: the queue that contains it, then the worker that takes it. Any thread may call submit().
#pragma once

#include "jobs/base/heap.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobOnThread final : public Worker::Call, public HeapObject<JobOnThread> {
 public:
  // As Shared::submit() (Shared::SubmitToThread).
  static void submit(Shared& shared, Job& job);

 private:
  explicit JobOnThread(Job& job) noexcept : Call(&start), job_(job) {}

  static void start(Worker& worker, Call& call);
  static void run(Job& job) noexcept;

  Job& job_;
};

}  // namespace jobs::inline JOBS_ABI::detail
