// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// memory_resource() of the current scheduler.
#include "jobs/memory.hpp"

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI {

std::pmr::memory_resource* memory_resource() { return &detail::current_shared().memory_resource(); }

}  // namespace jobs::inline JOBS_ABI
