// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens and closes parallel phases of a scheduler.
#include "jobs/parallel_phase.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI {

ParallelPhase::ParallelPhase() : shared_(detail::current_shared()) {
  shared_.open_parallel_phase();
}
ParallelPhase::ParallelPhase(Scheduler& scheduler) : shared_(*scheduler.shared_) {
  shared_.open_parallel_phase();
}
ParallelPhase::~ParallelPhase() { shared_.close_parallel_phase(); }

}  // namespace jobs::inline JOBS_ABI
