// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// submit: jobs from a thread that is no worker, into an idle runtime that the program names.
// submit_default: into the default scheduler. A job only counts itself. The first figure is the
// time of 20,000 jobs in a row. Unit: ns per job, from the first submission until the last job has
// run. The second figure (submit_idle, submit_idle_default) is the median time of the call that
// submits a job after all workers have fallen asleep. Unit: ns.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::submit {

inline constexpr int kJobs = 20'000;
inline constexpr int kWarmUp = 1'000;
inline constexpr int kIdleJobs = 300;
// All workers are asleep after it.
inline constexpr std::chrono::milliseconds kIdle{1};

// The number of jobs that have not run. Static: the last job may still execute notify_one() when
// the waiter goes on.
inline std::atomic<int>& jobs_left() {
  static std::atomic<int> left;
  return left;
}
inline void wait_for_jobs() {
  std::atomic<int>& left = jobs_left();
  for (int rest = left.load(); rest != 0; rest = left.load()) left.wait(rest);
}
inline void run_job() {
  if (jobs_left().fetch_sub(1) == 1) jobs_left().notify_one();
}

// Returns the time of `jobs` jobs. `submit(job)` passes the job to the runtime.
template <class Submit>
double all_ns(int jobs, Submit&& submit) {
  jobs_left().store(jobs);
  std::this_thread::sleep_for(kIdle);
  const Stopwatch stopwatch;
  for (int i = 0; i < jobs; ++i) submit(run_job);
  wait_for_jobs();
  return stopwatch.elapsed_ns();
}

// Returns the median time of a call.
template <class Submit>
double idle_ns(Submit&& submit) {
  std::vector<double> samples;
  for (int i = 0; i < kIdleJobs; ++i) {
    jobs_left().store(1);
    std::this_thread::sleep_for(kIdle);
    const Stopwatch stopwatch;
    submit(run_job);
    samples.push_back(stopwatch.elapsed_ns());
    wait_for_jobs();
  }
  return median(std::move(samples));
}

template <class Submit>
Figures figures_of(Submit&& submit) {
  all_ns(kWarmUp, submit);
  const double in_a_row = all_ns(kJobs, submit) / kJobs;
  return {in_a_row, idle_ns(submit)};
}

Figures on_jobs(const Conditions&);
Figures on_default_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::submit
