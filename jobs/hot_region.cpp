// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/hot_region.hpp"

#include "jobs/runtime/scheduler_core.hpp"
#include "jobs/runtime/submit.hpp"

namespace jobs::inline JOBS_ABI {

HotRegion::HotRegion() : core_(detail::current_core()) { core_.open_hot_region(); }
HotRegion::HotRegion(Scheduler& scheduler) : core_(*scheduler.core_) { core_.open_hot_region(); }
HotRegion::~HotRegion() { core_.close_hot_region(); }

}  // namespace jobs::inline JOBS_ABI
