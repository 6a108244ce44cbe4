// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CountedJob: a job that may report its end to a Counter. An external thread that waits for the
// counter takes such jobs from the shared queue (SharedJobs::take_of()).
//
// Owner: the job owns itself (SpawnedJob). Any thread may read the counter.
#pragma once

#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI {

class Counter;

namespace detail {

class CountedJob : public Job {
 public:
  CountedJob(Run function, Counter* counter) noexcept : Job(function), counter_(counter) {}
  // Returns null if the job reports to no counter.
  Counter* counter() const noexcept { return counter_; }

 private:
  Counter* const counter_;
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
