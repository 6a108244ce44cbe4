// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The constructor of Scheduler. It stands apart from the other members, because it refers to the
// watchdog.
#include <memory>
#include <utility>

#include "jobs/error.hpp"
#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/scheduler/job_on_thread.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// Sets the options that the mode includes.
SchedulerOptions complete(SchedulerOptions options) {
  if (options.mode == SchedulerMode::kFibers) return options;
  if (options.mode == SchedulerMode::kThreads) {
    options.extra_callers = true;
    return options;
  }
  if (options.mode != SchedulerMode::kInline)
    throw Error(ErrorCode::kBadArgument, "mode: not a value of jobs::SchedulerMode");
  if (options.worker_count > 1 || options.bound_threads > 1)
    throw Error(ErrorCode::kBadArgument, "mode: kInline has one worker, the constructing thread");
  options.worker_count = 1;
  options.bind_caller = true;
  return options;
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options)
    : options_(
          std::make_unique<const detail::OnHeap<SchedulerOptions>>(complete(std::move(options)))),
      core_(std::make_unique<detail::SchedulerCore>(options_->value, detail::kDiagnostics,
                                                    &detail::read_worker_cpus, this)),
      shared_(core_.get()) {
  if (options_->value.mode == SchedulerMode::kInline)
    core_->run_inline(&detail::Worker::run_pushed);
  if (options_->value.mode == SchedulerMode::kThreads)
    core_->run_on_threads(&detail::JobOnThread::submit);
}

}  // namespace jobs::inline JOBS_ABI
