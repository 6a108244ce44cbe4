// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the tests of the C interface: objects that end with the scope, and callbacks from
// closures.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

#include "jobs/c/jobs.h"

namespace jobs::test {

struct DestroyScheduler {
  void operator()(jobs_scheduler* scheduler) const {
    EXPECT_EQ(jobs_scheduler_destroy(scheduler), JOBS_OK);
  }
};
using CScheduler = std::unique_ptr<jobs_scheduler, DestroyScheduler>;

inline CScheduler make_scheduler(unsigned workers) {
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.worker_count = workers;
  jobs_scheduler* scheduler = nullptr;
  EXPECT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_OK);
  return CScheduler(scheduler);
}

struct DestroyCounter {
  void operator()(jobs_counter* counter) const {
    EXPECT_EQ(jobs_counter_destroy(counter), JOBS_OK);
  }
};
using CCounter = std::unique_ptr<jobs_counter, DestroyCounter>;

inline CCounter make_counter(std::size_t count = 0) {
  jobs_counter* counter = nullptr;
  EXPECT_EQ(jobs_counter_create(count, &counter), JOBS_OK);
  return CCounter(counter);
}

// A closure as a jobs_function and its data; the closure must outlive the job.
template <class F>
void call_closure(void* closure) {
  (*static_cast<F*>(closure))();
}

template <class F>
void* data_of(F& closure) {
  return const_cast<void*>(static_cast<const void*>(&closure));
}

template <class F>
jobs_status spawn_closure(jobs_scheduler* scheduler, F& closure, jobs_spawn_options options) {
  return jobs_spawn(scheduler, &call_closure<F>, data_of(closure), &options);
}

template <class F>
jobs_status spawn_counted(jobs_scheduler* scheduler, F& closure, const CCounter& counter) {
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = counter.get();
  return spawn_closure(scheduler, closure, options);
}

template <class F>
jobs_status run_closure(jobs_scheduler* scheduler, F&& closure) {
  return jobs_run(scheduler, &call_closure<std::remove_reference_t<F>>, data_of(closure));
}

template <class F>
jobs_status loop(jobs_scheduler* scheduler, int64_t first, int64_t last, std::size_t grain,
                 F&& body) {
  using Body = std::remove_reference_t<F>;
  return jobs_parallel_for(
      scheduler, first, last, grain,
      [](void* data, int64_t begin, int64_t end) { (*static_cast<Body*>(data))(begin, end); },
      data_of(body));
}

}  // namespace jobs::test
