// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobLimit: at most so many jobs at a time, for nodes of graphs and stages of pipelines. A job that finds no permit is put aside as
// what it is, not as a fiber: it holds neither a stack nor a worker until somebody hands it a permit. First come, first served.
#pragma once

#include <mutex>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobLimit {
 public:
  explicit JobLimit(std::size_t permits) noexcept : permits_(permits) {}
  JobLimit(const JobLimit&) = delete;
  JobLimit& operator=(const JobLimit&) = delete;

  // False: there is no permit; `job` is put aside, and a release() will return it.
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
  // The job that owns the permit now, which is the caller's to hand on; null if nobody waits.
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
  SpinLock lock_;
  std::size_t permits_;
  Job* first_ = nullptr;
  Job* last_ = nullptr;  // meaningless while first_ is null
};

}  // namespace jobs::inline JOBS_ABI::detail
