// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The constructor of Scheduler. It stands apart from the other members, because it refers to the
// watchdog.
#include <memory>
#include <utility>

#include "jobs/runtime/diagnostics/watchdog_start.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

Scheduler::Scheduler(SchedulerOptions options)
    : options_(std::make_unique<const detail::OnHeap<SchedulerOptions>>(std::move(options))),
      core_(std::make_unique<detail::SchedulerCore>(options_->value, detail::kDiagnostics,
                                                    &detail::read_worker_cpus, this)),
      shared_(core_.get()) {}

}  // namespace jobs::inline JOBS_ABI
