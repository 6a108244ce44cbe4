// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens and closes parallel phases of a scheduler.
#include "jobs/parallel_phase.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI {

HotRegion::HotRegion() : shared_(detail::current_shared()) { shared_.open_hot_region(); }
HotRegion::HotRegion(Scheduler& scheduler) : shared_(*scheduler.shared_) { shared_.open_hot_region(); }
HotRegion::~HotRegion() { shared_.close_hot_region(); }

}  // namespace jobs::inline JOBS_ABI
