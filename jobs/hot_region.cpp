// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/hot_region.hpp"

#include "jobs/runtime/default_scheduler.hpp"
#include "jobs/runtime/shared.hpp"

namespace jobs::inline JOBS_ABI {

HotRegion::HotRegion() : shared_(detail::current_shared()) { shared_.open_hot_region(); }
HotRegion::HotRegion(Scheduler& scheduler) : shared_(*scheduler.shared_) { shared_.open_hot_region(); }
HotRegion::~HotRegion() { shared_.close_hot_region(); }

}  // namespace jobs::inline JOBS_ABI
