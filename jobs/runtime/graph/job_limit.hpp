// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobLimit: limits the number of jobs that run concurrently, for nodes of graphs and stages of
// pipelines. A job without a permit waits in a FIFO list as a job, not as a fiber: it occupies
// neither a stack nor a worker until another job releases a permit.
//
// Owner: a TaskGraph::Limit of the user, or a PipelineRun. Any worker may call both functions; a
// lock guards the state.
#pragma once

#include <mutex>

#include "jobs/base/heap.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobLimit : public HeapObject<JobLimit> {
 public:
  explicit JobLimit(std::size_t permits) noexcept : permits_(permits) {}
  JobLimit(const JobLimit&) = delete;
  JobLimit& operator=(const JobLimit&) = delete;

  // Takes a permit. Without a free permit it appends `job` to the list and returns false; a later
  // release() returns the job.
  [[nodiscard]] bool acquire(Job& job) noexcept {
    const std::lock_guard guard(lock_);
    if (permits_ != 0) {
      --permits_;
      return true;
    }
    job.next = nullptr;
    if (first_ == nullptr) {
      first_ = &job;
    } else {
      last_->next = &job;
    }
    last_ = &job;
    return false;
  }
  // Releases a permit. Returns the first job of the list, which owns the permit; the caller submits
  // the job. Returns null if no job waits.
  [[nodiscard]] Job* release() noexcept {
    const std::lock_guard guard(lock_);
    Job* const job = first_;
    if (job == nullptr) {
      ++permits_;
    } else {
      first_ = job->next;
    }
    return job;
  }

 private:
  RawSpinLock lock_;
  Plain<std::size_t> permits_;
  Plain<Job*> first_{nullptr};
  Plain<Job*> last_{nullptr};  // valid only if first_ is not null
};

}  // namespace jobs::inline JOBS_ABI::detail
